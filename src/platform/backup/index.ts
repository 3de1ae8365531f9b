// The door: backups of the embedded cluster, made, restored and verified.
export { chooseBackup, readBackupAddress } from "./choose.ts";
export { makeBackup } from "./make.ts";
export { type BackupPlace, openFolderPlace } from "./place.ts";
export { refuseUnfinishedRestore, restore } from "./restore.ts";
export { type Nightly, openNightly } from "./nightly.ts";
export { openPlace } from "./settings.ts";
export { verify } from "./verify.ts";
