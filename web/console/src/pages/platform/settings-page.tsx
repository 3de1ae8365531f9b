import { Checkbox, Empty, Input, Table, Typography } from "antd";
import { useSearchParams } from "react-router";
import { platform } from "#console/api/platform.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#console/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useLanguage, useTexts } from "#console/language/language.ts";
import { settingWords } from "#console/pages/platform/setting-words.ts";
import { texts } from "#console/pages/platform/texts.ts";

type Setting = RecordOf<typeof platform.listSettings>;

const isChanged = ({ value, standard }: Setting): boolean => value !== standard;

/** Every setting as it is; what was typed to find one is in the address. */
export function SettingsPage() {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { data, error, refetch } = useRead(platform.listSettings, {});
  const [search, setSearch] = useSearchParams();
  const [find, onlyChanged] = [search.get("find") ?? "", search.get("changed") === "1"];
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
            value={find}
            onChange={({ target }) => change({ find: target.value })}
          />
          <Checkbox checked={onlyChanged} onChange={({ target }) => change({ changed: target.checked })}>
            {t.onlyChanged}
          </Checkbox>
        </div>
        {error ? (
          <Failure failure={error} onRetry={refetch} />
        ) : (
          <Table<Setting>
            size="small"
            rowKey="key"
            pagination={false}
            loading={data === undefined}
            dataSource={shown ?? []}
            scroll={{ x: 900 }}
            locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noSettings} /> }}
            columns={[
              { title: t.setting, dataIndex: "key", width: 250, render: (key: string) => <code>{key}</code> },
              { title: t.value, width: 240, render: (_value, setting: Setting) => <Value setting={setting} /> },
              {
                title: t.standard,
                width: 180,
                render: (_value, { secret, standard }: Setting) =>
                  secret ? "" : <Typography.Text type="secondary">{standard}</Typography.Text>,
              },
              { title: t.meaning, render: (_value, setting: Setting) => explain(setting) },
            ]}
          />
        )}
      </section>
    </>
  );
}

function Value({ setting }: { readonly setting: Setting }) {
  const t = useTexts(texts);
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
