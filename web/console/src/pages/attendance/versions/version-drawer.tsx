import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import { MonthCoverage } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { texts as coverageTexts } from "#console/pages/attendance/coverage/texts.ts";
import { WarningList } from "#console/pages/attendance/import/warning-list.tsx";
import { texts } from "#console/pages/attendance/versions/texts.ts";
import type { Version } from "#console/pages/attendance/records.ts";

interface VersionDrawerProps {
  readonly version: Version;
  readonly onClose: () => void;
}

/** A version: by whom and why it was locked and unlocked, and what its figures rest on. */
export function VersionDrawer({ version, onClose }: VersionDrawerProps) {
  const t = useTexts(texts);
  const { title: coverageTitle } = useTexts(coverageTexts);
  const { month, number, note, employees, covered, waring, lockTime, lockedBy } = version;
  const { unlockTime, unlockedBy, reason } = version;
  return (
    <DetailDrawer
      title={t.detailTitle(month, number)}
      width={720}
      onClose={onClose}
      details={[
        { label: t.lockTime, value: lockTime },
        { label: t.lockedBy, value: lockedBy },
        { label: t.note, value: note, wide: true },
        { label: t.employees, value: formatCount(employees), wide: true },
        { label: t.unlockTime, value: unlockTime ?? t.current },
        { label: t.unlockedBy, value: unlockedBy },
        { label: t.reason, value: reason, wide: true },
      ]}
    >
      <div className="q-attendance-outcome">
        <h3 className="q-attendance-part">{coverageTitle}</h3>
        <MonthCoverage month={month} covered={covered} />
      </div>
      {waring !== "" && (
        <div className="q-attendance-outcome">
          <h3 className="q-attendance-part">{t.basis}</h3>
          <WarningList waring={waring} />
        </div>
      )}
    </DetailDrawer>
  );
}
