import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { App, Button, Drawer, Form, Input, InputNumber, Space } from "antd";
import dayjs from "dayjs";
import { type ClipboardEvent, useRef } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { FormField } from "#console/blocks/fields.tsx";
import { today } from "#console/blocks/format.ts";
import { useTexts as useBlockTexts } from "#console/blocks/texts.ts";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useUnsavedGuard } from "#console/blocks/use-confirm.ts";
import { findUsual } from "#shared/clinic/plausible.ts";
import { useRead } from "#console/call/use-call.ts";
import {
  type ClinicRow,
  counts,
  type Known,
  ofHospital,
  toKnownQuery,
  useDoubts,
} from "#console/pages/disease-command/fever-clinic/doubts.tsx";
import { useClinicTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import "#console/pages/disease-command/fever-clinic/fever-clinic.css";

export interface DayGiven {
  readonly statisticsDate: string;
  readonly datas: readonly ClinicRow[];
}

interface DayFormProps {
  readonly given?: DayGiven | undefined;
  readonly onSave: (given: DayGiven) => void;
  readonly onClose: () => void;
}

export function DayForm(props: DayFormProps) {
  const { data, isFetching } = useRead(diseaseCommand.findLastFeverClinics, {});
  if (!data && isFetching) return null;
  const rows = (data ?? []).map(({ hospitalName }) => ({ hospitalName }));
  return <OpenDayForm {...props} rows={rows.length > 0 ? rows : [{}]} />;
}

const useKnown = (day: string): readonly Known[] =>
  useRead(diseaseCommand.listFeverClinics, { query: toKnownQuery(day) }, { enabled: dayjs(day).isValid() }).data
    ?.list ?? [];

function OpenDayForm({ rows, given, onSave, onClose }: DayFormProps & { readonly rows: readonly ClinicRow[] }) {
  const t = useTexts();
  const block = useBlockTexts();
  const { modal } = App.useApp();
  const [form] = Form.useForm<DayGiven>();
  const known = useKnown(Form.useWatch("statisticsDate", form) ?? today());
  const { find, ask } = useDoubts();
  const saved = useRef(false);
  const { submit, busy, failure } = useFormCall<DayGiven>(form, async (day) => {
    const doubts = find(known, day.datas);
    if (doubts.length > 0 && !(await modal.confirm(ask(doubts)))) return;
    saved.current = true;
    onSave(day);
  });
  const leave = useUnsavedGuard(() => !saved.current && form.isFieldsTouched(), onClose);
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
        initialValues={given ?? { statisticsDate: today(), datas: rows }}
        onFinish={submit}
        scrollToFirstError={{ focus: true }}
      >
        <FormField field={{ kind: "date", name: "statisticsDate", label: t.statisticsDate, required: true }} />
        <Rows
          known={known}
          onPaste={(place, pasted) =>
            form.setFieldValue("datas", putRows(form.getFieldValue("datas") as ClinicRow[], place, pasted))
          }
        />
        <button type="submit" hidden />
      </Form>
    </Drawer>
  );
}

interface RowsProps {
  readonly known: readonly Known[];
  readonly onPaste: (place: number, rows: readonly ClinicRow[]) => void;
}

function Before({ known, place, name }: Pick<RowsProps, "known"> & { place: number; name: (typeof counts)[number] }) {
  const t = useTexts();
  const hospital = Form.useWatch(["datas", place, "hospitalName"]) as string | undefined;
  const day = Form.useWatch("statisticsDate") as string | undefined;
  const own = ofHospital(known, hospital);
  const yesterday = dayjs(day).subtract(1, "day").format("YYYY-MM-DD");
  const usual = findUsual(own.map((one) => one[name]));
  if (usual === undefined) return null;
  return (
    <small className="q-soft">{t.before(own.find((one) => one.statisticsDate === yesterday)?.[name], usual)}</small>
  );
}

function Rows({ known, onPaste }: RowsProps) {
  const t = useTexts();
  const block = useBlockTexts();
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
                      <Form.Item
                        name={[place, name]}
                        rules={[{ required: true, message: block.required(t[name]) }]}
                        extra={<Before known={known} place={place} name={name} />}
                      >
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

/** The server would silently store only the last of several rows for one hospital. */
const once =
  (message: string, place: number) =>
  ({ getFieldValue }: { getFieldValue: (name: string) => unknown }) => ({
    validator: (_rule: unknown, name: string | undefined) => {
      const rows = getFieldValue("datas") as (ClinicRow | undefined)[];
      const isSame = (row: ClinicRow | undefined) => row?.hospitalName?.trim() === name?.trim();
      return name && rows.slice(0, place).some(isSame) ? Promise.reject(new Error(message)) : Promise.resolve();
    },
  });

const toCount = (text: string | undefined): number | null => {
  const digits = (text ?? "").replaceAll(/[,，\s]/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : null;
};

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
