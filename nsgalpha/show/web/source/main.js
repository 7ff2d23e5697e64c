// A run in the browser. The address may end with #t=1.5&colour=speed&contacts=1: it then stands still there.

import {
  Color, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Balls } from "./balls.js";
import { Bar } from "./bar.js";
import { Contacts } from "./contacts.js";
import { Faces } from "./faces.js";
import { decode, Run } from "./run.js";

const CASTERS = 5000; // more balls than that cast no shadows

function settings() {
  const given = new URLSearchParams(location.hash.slice(1)), t = Number(given.get("t"));
  const chosen = { colour: given.get("colour") ?? undefined, contacts: given.get("contacts") };
  return given.has("t") && Number.isFinite(t) ? { ...chosen, t } : chosen;
}

function colouring(run, name) {
  const { body_colours: own, speed, status, scale, status_colours: dyes, radius } = run.data;
  const row = run.frame * radius.length;
  if (name === "speed") {
    return (body) => {
      const at = (speed[row + body] / 255) * (scale.length - 1), k = Math.min(Math.floor(at), scale.length - 2);
      return scale[k].map((c, i) => c + (at - k) * (scale[k + 1][i] - c));
    };
  }
  if (name === "status") return (body) => dyes[status[row + body]];
  return (body) => [0, 1, 2].map((i) => own[3 * body + i] / 255);
}

function lights(scene, low, high, up, shadows) {
  const middle = low.clone().add(high).multiplyScalar(0.5), reach = 0.5 * high.distanceTo(low);
  const sky = new HemisphereLight(0xffffff, 0xb8b8b0, 1.9);
  sky.position.copy(up);
  const sun = new DirectionalLight(0xffffff, 1.9);
  sun.position.copy(middle).addScaledVector(up, 2 * reach).add(new Vector3(-0.5, -0.7, 0.3).multiplyScalar(reach));
  sun.target.position.copy(middle);
  sun.castShadow = shadows;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.normalBias = 0.004 * reach;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0, far: 5 * reach });
  scene.add(sky, sun, sun.target);
}

// As far from the middle as is needed to see the whole box.
function stand(camera, data) {
  const [low, high] = [data.scene_low, data.scene_high].map((x) => new Vector3(...x));
  const middle = low.clone().add(high).multiplyScalar(0.5);
  const towards = new Vector3(...data.towards);
  camera.position.copy(middle).add(towards);
  camera.lookAt(middle);
  camera.updateMatrixWorld();
  const half = Math.tan((camera.fov * Math.PI) / 360);
  const turn = camera.quaternion.clone().invert();
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    const corner = new Vector3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z).sub(middle);
    corner.applyQuaternion(turn);
    distance = Math.max(distance, corner.z + Math.max(Math.abs(corner.x) / camera.aspect, Math.abs(corner.y)) / half);
  }
  camera.position.copy(middle).addScaledVector(towards, 1.03 * distance);
  const reach = high.distanceTo(low);
  Object.assign(camera, { near: 1e-3 * reach, far: 50 * reach });
  camera.updateProjectionMatrix();
  return middle;
}

function start() {
  const run = new Run(decode(document.getElementById("data").textContent));
  const { data } = run, canvas = document.getElementById("picture"), scene = new Scene();
  const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  scene.background = new Color(0xf7f7f7);
  const shadows = data.radius.length <= CASTERS;
  renderer.shadowMap.enabled = shadows;
  const low = new Vector3(...data.scene_low), high = new Vector3(...data.scene_high);
  lights(scene, low, high, new Vector3(...data.up), shadows);
  const balls = new Balls(run, scene), faces = new Faces(run, scene);
  const contacts = data.contact_start ? new Contacts(run, scene) : null;
  const camera = new PerspectiveCamera(30, innerWidth / innerHeight);
  camera.up.set(...data.up); // which the controls read once
  const controls = new OrbitControls(camera, canvas);
  let stale = true, turned = false;
  controls.addEventListener("start", () => { turned = true; });
  controls.addEventListener("change", () => { stale = true; });
  const bar = new Bar(run, settings(), () => { stale = true; });

  function resize() {
    camera.aspect = innerWidth / innerHeight;
    if (turned) camera.updateProjectionMatrix(); else controls.target.copy(stand(camera, data));
    renderer.setSize(innerWidth, innerHeight, false);
    stale = true;
  }

  function draw() {
    run.moveTo(bar.t);
    const colours = colouring(run, bar.colour);
    balls.draw(colours);
    balls.fade(bar.contacts);
    faces.draw(colours);
    contacts?.show(bar.contacts);
    if (bar.contacts) contacts.draw();
    renderer.render(scene, camera);
    document.body.dataset.drawn = String(bar.t);
    stale = false;
  }

  let last = performance.now();
  function tick(now) {
    bar.advance(Math.min((now - last) / 1000, 0.1));
    last = now;
    controls.update();
    if (stale) draw();
    requestAnimationFrame(tick);
  }

  addEventListener("resize", resize);
  addEventListener("hashchange", () => {
    const { t } = settings();
    if (t !== undefined) { bar.playing = false; bar.go(t); }
  });
  resize();
  controls.update();
  draw();
  requestAnimationFrame(tick);
}

try {
  start();
} catch (error) {
  const message = document.getElementById("message");
  message.hidden = false;
  message.textContent = `The run cannot be drawn: ${error.message}. The viewer needs WebGL.`;
  document.body.dataset.error = error.message;
  throw error;
}
