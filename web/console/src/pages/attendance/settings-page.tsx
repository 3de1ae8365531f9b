import { Button, Form, InputNumber, Select, Space } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { useConfirm, useUnsavedGuard } from "#console/blocks/use-confirm.ts";
import { useMay } from "#console/session/session.ts";
import { SettingsPreview } from "#console/pages/attendance/settings/settings-preview.tsx";
import type { Settings } from "#console/pages/attendance/records.ts";
import "#console/pages/attendance/attendance.css";

export function SettingsPage() {
  const t = useTexts();
  const settings = useRead(attendance.readSettings, {});
  return (
    <>
      <PageHead title={t.settings} about={t.settingsAbout} />
      <Loaded read={settings}>{(data) => <SettingsForm key={JSON.stringify(data)} present={data} />}</Loaded>
    </>
  );
}

interface Typed {
  readonly campuses: readonly Settings["campuses"][number][];
  readonly first: number;
  readonly second: number;
}

const toTyped = ({ campuses, bucketEdges: [first = 20, second = 30] }: Settings): Typed => ({
  campuses,
  first,
  second,
});
const toSettings = ({ campuses, first, second }: Typed): Settings => ({
  campuses: campuses.map(({ campus, keywords }) => ({ campus, keywords })),
  bucketEdges: [first, second],
});

function SettingsForm({ present }: { readonly present: Settings }) {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const [form] = Form.useForm<Typed>();
  const save = useChange(attendance.changeSettings, { done: t.saved });
  const typed = Form.useWatch([], form) as Typed | undefined;
  const isChanged = typed !== undefined && JSON.stringify(toSettings(typed)) !== JSON.stringify(present);
  useUnsavedGuard(
    () => JSON.stringify(toSettings(form.getFieldsValue())) !== JSON.stringify(present) && !save.isSuccess,
    () => undefined,
  );
  const submit = (given: Typed) =>
    confirm({
      title: t.saveTitle,
      needs: attendance.changeSettings,
      about: t.saveAbout,
      verb: t.save,
      danger: false,
      work: () => save.mutateAsync({ body: toSettings(given) }),
    });
  return (
    <div className="q-attendance-settings">
      <Form<Typed> form={form} layout="vertical" initialValues={toTyped(present)} onFinish={submit} className="q-card">
        <h2 className="q-attendance-part">{t.campuses}</h2>
        <p className="q-soft">{t.campusesAbout}</p>
        <CampusLines />
        <h2 className="q-attendance-part">{t.edges}</h2>
        <p className="q-soft">{t.edgesAbout}</p>
        <Space size={16} align="start">
          <Form.Item name="first" label={t.edge1} rules={[{ required: true, type: "integer", min: 1, max: 1440 }]}>
            <InputNumber min={1} max={1440} suffix={t.minutes} />
          </Form.Item>
          <Form.Item
            name="second"
            label={t.edge2}
            dependencies={["first"]}
            rules={[
              { required: true, type: "integer", min: 1, max: 1440 },
              ({ getFieldValue }) => ({
                validator: (_rule, value: number) =>
                  value > (getFieldValue("first") as number)
                    ? Promise.resolve()
                    : Promise.reject(new Error(t.edgesMustRise)),
              }),
            ]}
          >
            <InputNumber min={1} max={1440} suffix={t.minutes} />
          </Form.Item>
        </Space>
        {typed?.first && typed.second > typed.first ? (
          <p className="q-attendance-edges">{t.edgesRead(typed.first, typed.second)}</p>
        ) : null}
        <div className="q-wizard-foot">
          {!isChanged && <span className="q-soft q-attendance-foot-start">{t.unchanged}</span>}
          <Button disabled={!isChanged} onClick={() => form.resetFields()}>
            {t.undo}
          </Button>
          {may(attendance.changeSettings) && (
            <Button type="primary" htmlType="submit" disabled={!isChanged}>
              {t.save}
            </Button>
          )}
        </div>
      </Form>
      <SettingsPreview isChanged={isChanged} readChange={async () => toSettings(await form.validateFields())} />
    </div>
  );
}

function CampusLines() {
  const t = useTexts();
  const options = ([1, 2, 0] as const).map((value) => ({ value, label: t.campusNames[value] }));
  return (
    <Form.List name="campuses">
      {(lines, { add, remove, move }) => (
        <div className="q-attendance-campuses">
          {lines.map(({ key, name }) => (
            <div key={key} className="q-attendance-campus">
              <Form.Item name={[name, "campus"]} rules={[{ required: true }]}>
                <Select options={options} aria-label={t.campusOf(name + 1)} />
              </Form.Item>
              <Form.Item
                name={[name, "keywords"]}
                rules={[{ required: true, type: "array", min: 1, message: t.keywordsNeeded }]}
              >
                <Select
                  mode="tags"
                  open={false}
                  suffixIcon={null}
                  tokenSeparators={[",", "，", "、"]}
                  placeholder={t.keywordsHelp}
                  aria-label={t.keywordsOf(name + 1)}
                />
              </Form.Item>
              <Space size={0}>
                <Button
                  type="text"
                  icon={<ArrowUpOutlined />}
                  aria-label={t.moveUp(name + 1)}
                  disabled={name === 0}
                  onClick={() => move(name, name - 1)}
                />
                <Button
                  type="text"
                  icon={<ArrowDownOutlined />}
                  aria-label={t.moveDown(name + 1)}
                  disabled={name === lines.length - 1}
                  onClick={() => move(name, name + 1)}
                />
                <Button
                  type="text"
                  icon={<DeleteOutlined />}
                  aria-label={t.removeLine(name + 1)}
                  disabled={lines.length === 1}
                  onClick={() => remove(name)}
                />
              </Space>
            </div>
          ))}
          <Button
            type="dashed"
            icon={<PlusOutlined />}
            disabled={lines.length >= 20}
            onClick={() => add({ campus: 1, keywords: [] })}
          >
            {t.addCampus}
          </Button>
        </div>
      )}
    </Form.List>
  );
}
