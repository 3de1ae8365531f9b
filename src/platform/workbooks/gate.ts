// Where a test that is about the middle of an import holds it: nothing else puts anything here.

let gate: (() => Promise<void>) | undefined;

/** Has every import of the process wait for `pass` after each batch of its rows; undefined lets them run. */
export const gateImports = (pass: (() => Promise<void>) | undefined): void => void (gate = pass);

export const passGate = (): Promise<void> | undefined => gate?.();
