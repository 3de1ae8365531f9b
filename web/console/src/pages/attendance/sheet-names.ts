import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";

/** Names a sheet in the language of the page; the interface names it as the export does. */
export function useSheetNames(): (sheet: string) => string {
  const { sheets, evidenceSheets } = useTexts(texts);
  const { sheets: exported, evidenceSheets: alsoExported } = texts.zh;
  const names = new Map<string, string>([
    [exported.work, sheets.work],
    ...(["month", "daily", "original"] as const).map((sheet) => [alsoExported[sheet], evidenceSheets[sheet]] as const),
  ]);
  return (sheet) => names.get(sheet) ?? sheet;
}
