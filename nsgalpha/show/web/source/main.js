// A run in the browser. The address may end with #t=1.5&colour=speed&contacts=rods: it then stands still there.

import { Color, DirectionalLight, HemisphereLight, Scene, Vector3, WebGLRenderer } from "three";
import { Arrows } from "./arrows.js";
import { Balls } from "./balls.js";
import { Bar } from "./bar.js";
import { View } from "./camera.js";
import { Card } from "./card.js";
import { Clip } from "./clip.js";
import { colouring } from "./colours.js";
import { Contacts } from "./contacts.js";
import { get } from "./dom.js";
import { Faces } from "./faces.js";
import { Groups } from "./groups.js";
import { keyboard } from "./keys.js";
import { Live } from "./live.js";
import { Overlay } from "./overlay.js";
import { Panel } from "./panel.js";
import { Picker } from "./pick.js";
import { pointer } from "./pointer.js";
import { decode, PackedFrames, Run } from "./run.js";
import { Film, picture } from "./save.js";
import { StreamFrames } from "./stream.js";
import { Trails } from "./trails.js";

const CASTERS = 5000; // more balls than that cast no shadows
const USUAL = 0.12, MOST = 3; // length of the arrow of the usual speed over the size of the view; times it
const ARROWS = 20000;
const SLOW = 0.15, PATIENCE = 5; // seconds of a frame; after so many in a row what is drawn gets coarser

function settings() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1))), t = Number(given.t);
  return { ...given, t: given.t !== undefined && Number.isFinite(t) ? t : undefined };
}

function lights(scene, { low, high }, up, shadows) {
  const middle = low.clone().add(high).multiplyScalar(0.5), reach = 0.5 * high.distanceTo(low);
  const sky = new HemisphereLight(0xffffff, 0xb8b8b0, 1.4);
  sky.position.copy(up);
  const sun = new DirectionalLight(0xffffff, 2.5);
  sun.position.copy(middle).addScaledVector(up, 2 * reach).add(new Vector3(-0.7, -0.9, 0.3).multiplyScalar(reach));
  sun.target.position.copy(middle);
  sun.castShadow = shadows;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.radius = 2.5;
  sun.shadow.normalBias = 0.0015 * reach;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0, far: 5 * reach });
  scene.add(sky, sun, sun.target);
  return sun;
}

function start() {
  const data = decode(get("data").textContent);
  const run = new Run(data, data.times ? new PackedFrames(data) : new StreamFrames(data));
  run.moveTo(run.start);
  const canvas = get("picture"), scene = new Scene();
  const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  scene.background = new Color(0xf7f7f7);
  let stale = true;
  const changed = () => { stale = true; };
  const view = new View(run, canvas, changed), groups = new Groups(data, run);
  renderer.shadowMap.enabled = data.radius.length <= CASTERS;
  const sun = lights(scene, view, new Vector3(...data.up), renderer.shadowMap.enabled);
  const balls = new Balls(run, groups, scene), faces = new Faces(run, groups, scene);
  const contacts = new Contacts(run, view.size, scene), trails = new Trails(run, groups, scene);
  const arrows = new Arrows(Math.min(run.n, ARROWS), USUAL * view.size, [0.1, 0.35, 0.75], scene);
  const clip = new Clip(renderer, view), overlay = new Overlay(view, get("overlay"));
  const chosen = settings(), panel = new Panel(run, groups, chosen, changed);
  get("glass").hidden = !faces.hasWalls;
  const card = new Card(run, view, changed), bar = new Bar(run, chosen, changed);
  const film = new Film(canvas, bar), snapshot = () => { draw(); picture(canvas, bar.clock, overlay); };
  const picker = new Picker(run, view, balls, faces, clip);
  const live = data.live ? new Live(run, bar, data.live, changed) : null;
  keyboard({ bar, panel, view, card, film, snapshot, live });
  pointer(canvas, picker, card);
  get("reset").onclick = () => { view.reset(); changed(); };
  get("picture-save").onclick = snapshot;
  get("film").onclick = () => film.toggle();
  get("ask").onclick = () => { get("help").hidden = !get("help").hidden; };
  get("help").onclick = () => { get("help").hidden = true; };

  // From the surfaces of balls on, or else from the centres
  function velocities() {
    arrows.begin();
    const { x, now: { v } } = run, longest = USUAL * view.size;
    for (let k = 0; panel.velocity && k < run.n; k++) {
      if (!groups.body(k)) continue;
      const at = x.subarray(3 * k, 3 * k + 3), along = v.subarray(3 * k, 3 * k + 3);
      const speed = run.speed(k) || 1, out = data.radius[k] / speed;
      const scale = Math.min(longest / (data.usual_speed || 1), (MOST * longest) / speed);
      arrows.add(...along.map((c, i) => at[i] + out * c), ...along.map((c) => scale * c));
    }
    arrows.end();
  }

  function draw() {
    run.moveTo(bar.t);
    view.update();
    if (view.followed >= 0) { // shadows are cast around what is looked at
      sun.position.add(view.controls.target).sub(sun.target.position);
      sun.target.position.copy(view.controls.target);
    }
    const colours = colouring(run, panel.colour);
    balls.draw(colours);
    balls.outline(card.chosen);
    balls.fade(panel.contacts === "rods");
    const still = panel.colour === "body" ? "" : bar.t;
    faces.draw(colours, card.chosen, [panel.colour, still, card.chosen?.body, card.chosen?.thing].join());
    faces.opacity(panel.walls);
    contacts.draw(panel.contacts);
    live?.wants(panel.contacts !== "");
    velocities();
    trails.draw(panel.trails, card.body);
    clip.set(...panel.clip);
    get("overlay").hidden = !panel.axes;
    if (panel.axes) overlay.draw();
    card.draw();
    renderer.render(scene, view.camera);
    document.body.dataset.drawn = String(bar.t);
    stale = false;
  }

  function resize() {
    view.resize();
    renderer.setSize(view.width, view.height, false);
    stale = true;
  }

  function coarser() {
    sun.castShadow = false;
    balls.coarser();
    renderer.setPixelRatio(1);
    document.body.dataset.coarse = "1";
    resize();
  }

  let last = performance.now(), slow = 0;
  function tick(now) {
    slow = bar.playing && now - last > 1000 * SLOW ? slow + 1 : 0;
    if (slow === PATIENCE && !document.body.dataset.coarse) coarser();
    bar.advance(Math.min((now - last) / 1000, 0.1));
    last = now;
    view.controls.update();
    if (stale) draw();
    film.tick();
    requestAnimationFrame(tick);
  }

  addEventListener("resize", resize);
  addEventListener("hashchange", () => {
    const { t } = settings();
    if (t !== undefined) { bar.leave(); bar.go(t); }
  });
  resize();
  view.controls.update();
  draw();
  requestAnimationFrame(tick);
}

try {
  start();
} catch (error) {
  const message = get("message");
  message.hidden = false;
  message.textContent = `The run cannot be drawn: ${error.message}. The viewer needs WebGL.`;
  document.body.dataset.error = error.message;
  throw error;
}
