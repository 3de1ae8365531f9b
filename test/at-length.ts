/** A test with these options runs only if AT_LENGTH is set, as in `npm run torture`. */
export const atLength = { skip: process.env["AT_LENGTH"] === undefined && "npm run torture plays it" };
