/** How often the figures of the home page are read anew, while they are seen. */
export const everyMs = 30_000;
