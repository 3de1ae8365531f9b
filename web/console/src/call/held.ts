// What has been decided and can still be undone. The server hears of it when its time is over, or when the page, the tab or
// the session ends: until then nobody has been told, so that undoing needs no way back on the server.

export type Send = () => Promise<void>;

const timers = new Map<Send, number>();

export function hold(send: Send, ms: number): void {
  timers.set(
    send,
    window.setTimeout(() => void release(send), ms),
  );
}

/** Whether it was still held; then it is never sent. */
export function takeBack(send: Send): boolean {
  clearTimeout(timers.get(send));
  return timers.delete(send);
}

const release = (send: Send): Promise<void> => (takeBack(send) ? send() : Promise.resolve());

export async function sendHeld(): Promise<void> {
  await Promise.all([...timers.keys()].map(release));
}

window.addEventListener("pagehide", () => void sendHeld());
