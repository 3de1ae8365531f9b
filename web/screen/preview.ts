import { useReading } from "#shared/call/use-reading.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { platform } from "#shared/api/platform.ts";
import { callWith } from "#shared/call/exchange.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { askForToken, readPreviewed } from "#shared/screen-preview.ts";

export type Theme = RecordOf<typeof diseaseCommand.listThemes>;

export interface Preview {
  readonly asked: boolean;
  readonly theme: Theme | undefined;
  readonly failed: boolean;
  readonly retry: () => void;
}

export function usePreview(): Preview {
  const id = readPreviewed();
  const opener = findOpener();
  const asked = id !== undefined && opener !== null;
  const { data, failure, retry } = useReading(String(id), async (signal) =>
    asked ? findTheme(id, opener, signal) : undefined,
  );
  return { asked, theme: data, failed: failure !== undefined, retry };
}

const findOpener = (): Window | null =>
  (window.opener as Window | null) ?? (window.parent === window ? null : window.parent);

async function findTheme(id: number, opener: Window, signal: AbortSignal): Promise<Theme> {
  const token = await askForToken(opener);
  const headers = { "admin-token": token };
  const own = await callWith(platform.readOwnSession, {}, { signal, headers });
  const { service } = diseaseCommand.listThemes;
  if (!own.services.includes(service)) throw new Error("you are not an administrator of the big screen");
  const themes = await callWith(diseaseCommand.listThemes, {}, { signal });
  const theme = themes.find((one) => one.id === id);
  if (!theme) throw new Error("the theme does not exist");
  return theme;
}
