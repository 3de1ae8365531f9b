/** Where the present comes from; tests hand in their own. Milliseconds since 1970. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
