import { noticeHandlers } from "./routes.ts";
import { type NoticeParts, noticeTasks } from "./sending.ts";

export { openWriters } from "./channels.ts";
export { personsOfNotices } from "./person-store.ts";
export { retainedNotices, sealedNotices } from "./store.ts";

export type Notices = ReturnType<typeof createNotices>;

export const createNotices = (parts: NoticeParts) => ({ handlers: noticeHandlers(parts), ...noticeTasks(parts) });
