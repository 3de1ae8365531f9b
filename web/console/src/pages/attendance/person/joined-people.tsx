import { Alert } from "antd";
import { joinWords } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import { WarningList } from "#console/pages/attendance/import/warning-list.tsx";
import type { Explanation } from "#console/pages/attendance/records.ts";
import { useSheetNames } from "#console/pages/attendance/sheet-names.ts";
import { texts } from "#console/pages/attendance/person/texts.ts";

/** What is odd about the employee, and who of the other sheets was taken for them, by what. */
export function JoinedPeople({ explanation: { waring, people } }: { readonly explanation: Explanation }) {
  const t = useTexts(texts);
  const nameSheet = useSheetNames();
  return (
    <>
      {waring !== "" && (
        <Alert
          type="warning"
          showIcon
          className="q-attendance-odd"
          title={t.odd}
          description={<WarningList waring={waring} />}
        />
      )}
      {people.length > 0 && (
        <section className="q-attendance-joined" aria-labelledby="q-attendance-joined">
          <h3 id="q-attendance-joined" className="q-attendance-part">
            {t.people} <small className="q-soft">{t.peopleAbout}</small>
          </h3>
          <ul>
            {people.map(({ kind, sheet, workName, userId, workNum, rows, by }) => (
              <li key={[kind, workName, userId, workNum].join()}>
                <span className="q-soft">{nameSheet(sheet)}</span>
                <span>{joinWords([workName, workNum, userId].filter((part) => part !== ""))}</span>
                <span className="q-soft q-figures">{t.rows(rows)}</span>
                <span className={by === "match" || by === "name" ? "" : "q-soft"}>{t.by[by ?? "unknown"]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
