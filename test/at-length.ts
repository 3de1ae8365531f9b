/** A test with these options runs only in `npm run torture`, which sets AT_LENGTH. */
export const atLength = { skip: process.env["AT_LENGTH"] === undefined && "npm run torture plays it" };
