// Planes without an end fade out around the scene.

import { Box3, Vector3 } from "three";

const GONE = 0.8; // of the spread, from where on nothing is seen

// True where planes have faded out
export function faded({ low_seen: low, high_seen: high, spread }, point) {
  return new Box3(new Vector3(...low), new Vector3(...high)).distanceToPoint(point) > GONE * spread;
}

// Patch a material so that it is seen in the box from `low` to `high` and fades out over `spread` [m] beyond.
export function fading(material, { low_seen: low, high_seen: high, spread }) {
  const between = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
  const uniforms = {
    boxMiddle: { value: between }, boxHalf: { value: new Vector3(...high).sub(between) }, boxSpread: { value: spread || 1 },
  };
  material.transparent = true;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vSpot;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvSpot = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>
        varying vec3 vSpot;
        uniform vec3 boxMiddle, boxHalf;
        uniform float boxSpread;`)
      .replace("#include <opaque_fragment>", `#include <opaque_fragment>
        gl_FragColor.a *= 1.0 - smoothstep(0.0, 1.0,
          length(max(abs(vSpot - boxMiddle) - boxHalf, vec3(0.0))) / boxSpread);`);
  };
  return material;
}
