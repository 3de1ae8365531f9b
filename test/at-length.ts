/** For a test that `npm run torture` plays, which sets AT_LENGTH, and `npm test` does not. */
export const atLength = { skip: process.env["AT_LENGTH"] === undefined && "npm run torture plays it" };
