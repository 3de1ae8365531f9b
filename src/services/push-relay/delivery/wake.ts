/** Lets a loop sleep until somebody has something for it, or a time is over. */
export interface Wake {
  readonly call: () => void;
  /** Resolves at once when there was a call since the last sleep. */
  sleep(mostMs: number): Promise<void>;
}

export function openWake(): Wake {
  let called = false;
  let end: (() => void) | undefined;
  return {
    call() {
      called = true;
      end?.();
    },
    async sleep(mostMs) {
      if (!called) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, mostMs);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        end = undefined;
      }
      called = false;
    },
  };
}
