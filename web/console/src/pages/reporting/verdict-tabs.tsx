import { Tabs } from "antd";
import { reporting } from "#shared/api/reporting.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useListState } from "#console/blocks/list-page/address.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/reporting/texts.ts";

const verdicts = ["0", "1", "2", ""] as const;
type Tab = (typeof verdicts)[number];

/** What is to be judged, what is valid, invalid, and all; each with how many the search finds. */
export function VerdictTabs() {
  const t = useTexts(texts);
  const [{ filters }, change] = useListState();
  const counts: Readonly<Record<Tab, string>> = {
    "0": useCount("0"),
    "1": useCount("1"),
    "2": useCount("2"),
    "": useCount(""),
  };
  const present = verdicts.find((tab) => tab === filters["valid"]) ?? "";
  return (
    <Tabs
      className="q-list-tabs"
      activeKey={present}
      onChange={(valid) => change({ filters: { ...filters, valid }, page: 1 })}
      items={verdicts.map((key) => ({
        key,
        label: (
          <>
            {t.verdictTabs[key]} <span className="q-soft q-figures">{counts[key]}</span>
          </>
        ),
      }))}
    />
  );
}

/** How many reports the search finds of a verdict: the total, with a page of one. */
function useCount(valid: Tab): string {
  const [{ filters }] = useListState();
  const query = { ...filters, valid, currPage: 1, pageSize: 1 };
  const { data } = useRead(reporting.listReports, { query } as never, { keep: true });
  return data ? formatCount(data.totalCount) : "";
}
