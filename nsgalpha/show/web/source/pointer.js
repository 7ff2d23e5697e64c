// Hovering, selecting by a click, following by a double click.

const STILL = 4; // pixels that a click may move

export function pointer(canvas, picker, card) {
  let pressed = null, waiting = null;
  canvas.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => { pressed = [x, y]; card.tip(null); });
  canvas.addEventListener("pointerup", ({ clientX: x, clientY: y }) => {
    const still = pressed && Math.hypot(x - pressed[0], y - pressed[1]) <= STILL;
    pressed = null;
    if (still) card.select(picker.at(x, y));
  });
  canvas.addEventListener("dblclick", () => card.follow(true));
  canvas.addEventListener("pointerleave", () => card.tip(null));
  canvas.addEventListener("pointermove", ({ clientX: x, clientY: y, pointerType }) => {
    if (pressed || pointerType === "touch") return;
    if (!waiting) requestAnimationFrame(() => { card.tip(picker.at(...waiting), ...waiting); waiting = null; });
    waiting = [x, y];
  });
}
