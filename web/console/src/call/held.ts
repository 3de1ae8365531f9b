// A held decision is sent when its delay is over, or earlier if the user leaves the page, closes the tab or signs out.
// Until then the decision can be undone without a server operation.

export type Send = () => Promise<void>;

const timers = new Map<Send, number>();

export function hold(send: Send, ms: number): void {
  timers.set(
    send,
    window.setTimeout(() => void release(send), ms),
  );
}

export function takeBack(send: Send): boolean {
  clearTimeout(timers.get(send));
  return timers.delete(send);
}

const release = (send: Send): Promise<void> => (takeBack(send) ? send() : Promise.resolve());

export async function sendHeld(): Promise<void> {
  await Promise.all([...timers.keys()].map(release));
}

window.addEventListener("pagehide", () => void sendHeld());
