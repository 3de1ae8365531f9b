// Polling must not keep alive a session that nobody is using.

const awayMs = 60_000;
let touchedMs = Date.now();

const note = () => void (touchedMs = Date.now());
for (const event of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"])
  window.addEventListener(event, note, { capture: true, passive: true });

export const isAttended = (): boolean => Date.now() - touchedMs < awayMs;
