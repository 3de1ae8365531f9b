import { LockOutlined } from "@ant-design/icons";
import { Tag } from "antd";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/lock/texts.ts";
import type { Month } from "#console/pages/attendance/records.ts";

/** That a month is locked, and as which version; nothing of one that is not. */
export function LockTag({ month: { locked } }: { readonly month: Pick<Month, "locked"> }) {
  const t = useTexts(texts);
  return (
    locked && (
      <Tag icon={<LockOutlined aria-hidden />} className="q-attendance-lock-tag">
        {t.lockedAt(locked.number)}
      </Tag>
    )
  );
}
