import { Checkbox, Empty, Input, Typography } from "antd";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { platform } from "#shared/api/platform.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "#console/pages/platform/texts.ts";
import { allSections } from "#console/sections.ts";

type Setting = RecordOf<typeof platform.listSettings>;

// The texts load with the page, since users can search them as soon as the page is shown.
const settingWords: Readonly<Record<string, string>> = Object.assign(
  {},
  ...(await Promise.all(allSections.map(async ({ loadSettingWords }) => loadSettingWords?.()))),
);

const isChanged = ({ value, standard }: Setting): boolean => value !== standard;

export function SettingsPage() {
  const t = useTexts();
  const [language] = useLanguage();
  const { data, error, refetch } = useRead(platform.listSettings, {});
  const [search, setSearch] = useSearchParams();
  const [find, onlyChanged] = [search.get("find") ?? "", search.get("changed") === "1"];
  // The input keeps its own text, since the address is updated later.
  const [typed, setTyped] = useState(find);
  const change = (next: { find?: string; changed?: boolean }) => {
    const now = { find, changed: onlyChanged, ...next };
    setSearch({ ...(now.find !== "" && { find: now.find }), ...(now.changed && { changed: "1" }) }, { replace: true });
  };
  const explain = ({ key, description }: Setting) => (language === "zh" ? settingWords[key] : undefined) ?? description;
  const shown = data?.filter(
    (setting) =>
      (!onlyChanged || isChanged(setting)) &&
      `${setting.key} ${explain(setting)}`.toLowerCase().includes(find.toLowerCase()),
  );
  return (
    <>
      <PageHead title={t.settings} about={t.settingsAbout} />
      <section className="q-card">
        <div className="q-list-bar">
          <Input.Search
            allowClear
            className="q-find"
            aria-label={t.find}
            placeholder={t.find}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              change({ find: target.value });
            }}
          />
          <Checkbox checked={onlyChanged} onChange={({ target }) => change({ changed: target.checked })}>
            {t.onlyChanged}
          </Checkbox>
        </div>
        {error ? (
          <Failure failure={error} onRetry={refetch} />
        ) : (
          <Records<Setting>
            density="small"
            rowKey={({ key }) => key}
            loading={data === undefined}
            rows={shown ?? []}
            pageSize={200}
            empty={<Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noSettings} />}
            columns={[
              { title: t.setting, field: "key", width: 250, wraps: true, render: ({ key }) => <code>{key}</code> },
              {
                title: t.value,
                field: "value",
                width: 240,
                wraps: true,
                render: (setting) => <Value setting={setting} />,
              },
              {
                title: t.standard,
                field: "standard",
                width: 180,
                wraps: true,
                render: ({ secret, standard }) =>
                  secret || standard === "" ? "" : <Typography.Text type="secondary">{standard}</Typography.Text>,
              },
              { title: t.meaning, field: "meaning", width: 230, wraps: true, render: explain },
            ]}
          />
        )}
      </section>
    </>
  );
}

function Value({ setting }: { readonly setting: Setting }) {
  const t = useTexts();
  const { secret, value } = setting;
  const text = secret ? (value === "set" ? t.secretSet : t.secretUnset) : value === "" ? t.notSet : value;
  return isChanged(setting) ? (
    <Status tone="processing">
      <strong className="q-value">{text}</strong>
    </Status>
  ) : (
    <span className="q-value">{text}</span>
  );
}
