/** How often the home page reads its figures anew, while it is seen. */
export const everyMs = 30_000;
