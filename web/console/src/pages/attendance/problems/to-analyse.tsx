import { PlayCircleOutlined } from "@ant-design/icons";
import { Alert, Button } from "antd";
import { IfMay } from "#console/blocks/if-may.tsx";
import { attendance } from "#shared/api/attendance.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { texts as ownTexts } from "#console/pages/attendance/problems/texts.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useAnalyse } from "#console/pages/attendance/use-analysis.ts";

interface ToAnalyseProps {
  readonly month: Month;
  /** Whether a keyword was taken since the page was opened. */
  readonly isKeywordTaken: boolean;
  readonly onStarted: () => void;
}

/** That what was settled or taken counts only after an analysis, with the button for it. */
export function ToAnalyse({ month: { month, statu, employees, locked }, isKeywordTaken, onStarted }: ToAnalyseProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const analyse = useAnalyse();
  const isOld = (statu === 0 || statu === 3) && employees > 0;
  if (statu === 1 || !(isOld || isKeywordTaken)) return null;
  const start = () => {
    analyse.mutate({ query: { month } });
    onStarted();
  };
  return (
    <Alert
      type="warning"
      showIcon
      role="status"
      className="q-attendance-to-analyse"
      title={isOld ? t.toAnalyse : locked ? t.keywordTakenLocked : t.keywordTaken}
      description={isOld ? t.toAnalyseAbout : undefined}
      action={
        !locked && (
          <IfMay operation={attendance.analyse}>
            <Button
              type="primary"
              icon={<PlayCircleOutlined aria-hidden />}
              loading={analyse.isPending}
              onClick={start}
            >
              {t.analyseAgain}
            </Button>
          </IfMay>
        )
      }
    />
  );
}
