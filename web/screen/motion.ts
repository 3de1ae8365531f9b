/** Whether animations are off: `?still=1`, or the device's reduced-motion preference. */
export const isStill =
  new URLSearchParams(window.location.search).get("still") === "1" ||
  window.matchMedia("(prefers-reduced-motion: reduce)").matches;
