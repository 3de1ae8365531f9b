import { DownOutlined } from "@ant-design/icons";
import { Alert, Button, Dropdown } from "antd";
import { formatCount } from "#console/blocks/format.ts";
import { type Decisions, useDecisions } from "#console/blocks/queue/use-decisions.ts";
import { type CallOptions, callWith } from "#console/call/call.ts";
import { splitToKeep } from "#console/call/split-to-keep.ts";
import { type Month, type Unmatched, useSheetNames } from "#console/pages/attendance/records.ts";
import { useProblemTexts as useTexts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";
import { attendance } from "#shared/api/attendance.ts";

type Stranger = Unmatched["people"][number];
type Somebody = Pick<Stranger, "kind" | "sheet" | "workName" | "userId" | "workNum">;

/**
 * The body of a match call.
 * @param as the employee's userId; "" for nobody, null to undo
 */
export const toMatch = (
  { kind, workName, userId, workNum }: Omit<Somebody, "sheet">,
  as: string | null,
  group = "",
) => ({
  sheet: kind,
  person: { name: workName, userId, workNum },
  userId: as,
  groupOfCheck: group,
});

/** Returns the only candidate, unless the candidate has no userId to be matched by. */
const findOnly = ({ candidates: [only, another] }: Stranger) =>
  only && !another && only.userId !== "" ? only : undefined;

/**
 * Returns the decisions about all people of a sheet, and `hide`, which leaves out the people with a pending decision.
 */
export function useSheetDecisions() {
  const decisions = useDecisions("attendance");
  const isHeld = ({ kind }: Somebody, what: string) => decisions.ids.has(`${kind} ${what}`);
  const hide = ({ people, settled, ...rest }: Unmatched): Unmatched => ({
    ...rest,
    people: people.filter((one) => !isHeld(one, "nobody") && !(isHeld(one, "candidate") && findOnly(one))),
    settled: settled.filter((one) => !isHeld(one, "undo")),
  });
  return { decisions, hide };
}

interface BySheetProps {
  readonly month: Month;
  readonly decisions: Decisions;
}

/** Settles the unmatched people of a sheet: all as nobody, or those with a single candidate as that candidate. */
export function SettleBySheet({ people, ...props }: BySheetProps & { readonly people: readonly Stranger[] }) {
  const t = useTexts();
  const choices = useSheets(people).flatMap(([kind, sheet, those]) => {
    const sure = those.flatMap((one) => {
      const only = findOnly(one);
      return only ? [toMatch(one, only.userId, only.groupOfCheck)] : [];
    });
    const nobody = those.map((one) => toMatch(one, ""));
    return [
      { key: `${kind} nobody`, label: t.allNobody(sheet, formatCount(nobody.length)), matches: nobody },
      { key: `${kind} candidate`, label: t.allCandidates(sheet, formatCount(sure.length)), matches: sure },
    ].filter(({ matches }) => matches.length > 0);
  });
  return <SheetMenu {...props} label={t.bySheet(formatCount(people.length))} choices={choices} />;
}

export function UndoBySheet({ settled, ...props }: BySheetProps & { readonly settled: Unmatched["settled"] }) {
  const t = useTexts();
  const choices = useSheets(settled).map(([kind, sheet, those]) => ({
    key: `${kind} undo`,
    label: t.allUndone(sheet, formatCount(those.length)),
    matches: those.map((one) => toMatch(one, null)),
  }));
  return <SheetMenu {...props} label={t.undoBySheet} choices={choices} />;
}

function useSheets<P extends Somebody>(people: readonly P[]) {
  const nameSheet = useSheetNames();
  return [...Map.groupBy(people, ({ kind }) => kind)].map(
    ([kind, those]) => [kind, nameSheet(those[0]?.sheet ?? ""), those] as const,
  );
}

interface SheetMenuProps extends BySheetProps {
  readonly label: string;
  readonly choices: readonly {
    readonly key: string;
    readonly label: string;
    readonly matches: readonly ReturnType<typeof toMatch>[];
  }[];
}

function SheetMenu({ month: { month, locked }, decisions, label, choices }: SheetMenuProps) {
  const may = useMay();
  if (locked || !may(attendance.matchAll)) return null;
  const decide = ({ key, label: said, matches }: SheetMenuProps["choices"][number]) => {
    const batches = splitToKeep(matches);
    const send = async (options: CallOptions) => {
      for (const batch of batches) await callWith(attendance.matchAll, { body: { month, matches: batch } }, options);
    };
    // A closing page could send only the first batch, so a decision of several batches is sent without delay.
    decisions.decide(key, { said, send, isHeld: batches.length === 1 });
  };
  const items = choices.map((choice) => ({ key: choice.key, label: choice.label, onClick: () => decide(choice) }));
  return (
    <Dropdown trigger={["click"]} menu={{ items }}>
      <Button>
        {label} <DownOutlined aria-hidden />
      </Button>
    </Dropdown>
  );
}

export function HeldSheet({ decisions }: Pick<BySheetProps, "decisions">) {
  const t = useTexts();
  return (
    <div role="status" className="q-attendance-held">
      {decisions.last && (
        <Alert
          type="info"
          showIcon
          title={decisions.last.said}
          action={
            <Button size="small" onClick={decisions.undo}>
              {t.undo}
            </Button>
          }
        />
      )}
    </div>
  );
}
