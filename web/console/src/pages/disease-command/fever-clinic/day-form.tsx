import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Drawer, Form, Input, InputNumber, Space } from "antd";
import { type ClipboardEvent, useRef } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { FormField } from "#console/blocks/fields.tsx";
import { formatCount, today } from "#console/blocks/format.ts";
import { useTexts as useBlockTexts } from "#console/blocks/texts.ts";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useUnsavedGuard } from "#console/blocks/use-confirm.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useClinicTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import "#console/pages/disease-command/fever-clinic/fever-clinic.css";

interface DayGiven {
  readonly statisticsDate: string;
  readonly datas: readonly ClinicRow[];
}

export function DayForm({ onClose }: { readonly onClose: () => void }) {
  const { data, isFetching } = useRead(diseaseCommand.findLastFeverClinics, {});
  if (!data && isFetching) return null;
  const rows = (data ?? []).map(({ hospitalName }) => ({ hospitalName }));
  return <OpenDayForm rows={rows.length > 0 ? rows : [{}]} onClose={onClose} />;
}

function OpenDayForm({ rows, onClose }: { readonly rows: readonly ClinicRow[]; readonly onClose: () => void }) {
  const t = useTexts();
  const block = useBlockTexts();
  const [form] = Form.useForm<DayGiven>();
  const key = useRef(makeKey());
  const save = useChange(diseaseCommand.saveFeverClinics, {
    done: (count) => t.doneDay(formatCount(Number(count))),
    quiet: true,
  });
  const { submit, busy, failure } = useFormCall<DayGiven>(form, async ({ statisticsDate, datas }) => {
    const body = { datas: datas.map((row) => ({ ...(row as Required<ClinicRow>), statisticsDate })) };
    await save.mutateAsync({ body: body as never, options: { idempotencyKey: key.current } });
    onClose();
  });
  const leave = useUnsavedGuard(() => !save.isSuccess && form.isFieldsTouched(), onClose);
  return (
    <Drawer
      open
      title={t.enterDay}
      size={720}
      onClose={leave}
      mask={{ closable: false }}
      footer={
        <Space className="q-drawer-footer">
          <Button onClick={leave}>{block.cancel}</Button>
          <Button type="primary" loading={busy} onClick={() => form.submit()}>
            {block.save}
          </Button>
        </Space>
      }
    >
      <p className="q-soft">{t.enterDayAbout}</p>
      {failure}
      <Form<DayGiven>
        form={form}
        layout="vertical"
        initialValues={{ statisticsDate: today(), datas: rows }}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
      >
        <FormField field={{ kind: "date", name: "statisticsDate", label: t.statisticsDate, required: true }} />
        <Rows
          onPaste={(place, pasted) =>
            form.setFieldValue("datas", putRows(form.getFieldValue("datas") as ClinicRow[], place, pasted))
          }
        />
        <button type="submit" hidden />
      </Form>
    </Drawer>
  );
}

function Rows({ onPaste }: { readonly onPaste: (place: number, rows: readonly ClinicRow[]) => void }) {
  const t = useTexts();
  const block = useBlockTexts();
  const counts = ["feverClinicCount", "epidemicCount"] as const;
  const paste = (place: number) => (event: ClipboardEvent) => {
    const pasted = parseRows(event.clipboardData.getData("text"));
    if (!pasted) return;
    event.preventDefault();
    onPaste(place, pasted);
  };
  return (
    <Form.List name="datas">
      {(fields, { add, remove }, { errors }) => (
        <>
          <table className="q-disease-rows">
            <thead>
              <tr>
                <th scope="col">{t.hospitalName}</th>
                {counts.map((name) => (
                  <th key={name} scope="col">
                    {t[name]}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {fields.map(({ key, name: place }) => (
                <tr key={key}>
                  <td>
                    <Form.Item
                      name={[place, "hospitalName"]}
                      rules={[
                        { required: true, whitespace: true, message: block.required(t.hospitalName) },
                        once(t.sameHospital, place),
                      ]}
                    >
                      <Input maxLength={255} aria-label={t.row(place + 1, t.hospitalName)} onPaste={paste(place)} />
                    </Form.Item>
                  </td>
                  {counts.map((name) => (
                    <td key={name}>
                      <Form.Item name={[place, name]} rules={[{ required: true, message: block.required(t[name]) }]}>
                        <InputNumber className="q-wide" min={0} precision={0} aria-label={t.row(place + 1, t[name])} />
                      </Form.Item>
                    </td>
                  ))}
                  <td>
                    {fields.length > 1 && (
                      <Button
                        type="text"
                        icon={<DeleteOutlined />}
                        aria-label={t.removeRow(place + 1)}
                        onClick={() => remove(place)}
                      />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Form.ErrorList errors={errors} />
          <Button type="dashed" block icon={<PlusOutlined />} onClick={() => add()}>
            {t.addRow}
          </Button>
        </>
      )}
    </Form.List>
  );
}

/** A rule: of two rows of one hospital the server would keep the last without a word. */
const once =
  (message: string, place: number) =>
  ({ getFieldValue }: { getFieldValue: (name: string) => unknown }) => ({
    validator: (_rule: unknown, name: string | undefined) => {
      const rows = getFieldValue("datas") as (ClinicRow | undefined)[];
      const isSame = (row: ClinicRow | undefined) => row?.hospitalName?.trim() === name?.trim();
      return name && rows.slice(0, place).some(isSame) ? Promise.reject(new Error(message)) : Promise.resolve();
    },
  });

interface ClinicRow {
  readonly hospitalName?: string;
  readonly feverClinicCount?: number | null;
  readonly epidemicCount?: number | null;
}

const toCount = (text: string | undefined): number | null => {
  const digits = (text ?? "").replaceAll(/[,，\s]/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : null;
};

/** Rows of a spreadsheet, as they come through the clipboard; undefined when it is only one text. */
function parseRows(text: string): ClinicRow[] | undefined {
  if (!/[\t\n]/.test(text.trim())) return undefined;
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [hospitalName = "", fever, epidemic] = line.split("\t");
      return { hospitalName: hospitalName.trim(), feverClinicCount: toCount(fever), epidemicCount: toCount(epidemic) };
    });
}

const putRows = (rows: readonly ClinicRow[], place: number, pasted: readonly ClinicRow[]): ClinicRow[] => [
  ...rows.slice(0, place),
  ...pasted,
  ...rows.slice(place + pasted.length),
];
