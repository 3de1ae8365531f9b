export { backupKeyFile, loadOrMakeBackupKeys } from "./keys.ts";
export { makeBackup } from "./make.ts";
export { backupSetup, type Nightly, openNightly } from "./nightly.ts";
export { openBackup, refuseUnfinishedRestore, restore } from "./restore.ts";
export { verify } from "./verify.ts";
