import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { CallFailure } from "#shared/call/failure.ts";
import { useChange } from "#console/call/use-call.ts";
import {
  isItemName,
  type Payable,
  readItems,
  type TypedItem,
  writeItems,
} from "#console/pages/tuition-payment/payable.tsx";
import { MoneyInput } from "#console/pages/tuition-payment/money-input.tsx";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatFen, parseYuan, sumFen, toFen, toYuan, writeYuan } from "#shared/money.ts";
import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input } from "antd";
import { Status } from "#console/blocks/status.tsx";

interface Typed {
  readonly studentNo?: string;
  readonly studentName: string;
  readonly idCard?: string;
  readonly grade: string;
  readonly years: string;
  readonly collegeName?: string;
  readonly majorName?: string;
  readonly className?: string;
  readonly dueDate?: string;
  readonly realPayAmount: string;
  readonly payItemDetail: readonly TypedItem[];
}

interface PayableFormProps {
  readonly payable: Payable | undefined;
  readonly onClose: () => void;
}

export function PayableForm({ payable, onClose }: PayableFormProps) {
  const t = useTexts();
  const options = { done: t.saved, quiet: true };
  const save = useChange(tuitionPayment.savePayable, options);
  const update = useChange(tuitionPayment.updatePayable, options);
  return (
    <FormDrawer<Typed>
      title={payable ? t.editNamed(payable.studentName) : t.createTitle}
      needs={payable ? tuitionPayment.updatePayable : tuitionPayment.savePayable}
      fields={useFields(payable)}
      initial={payable ? toTyped(payable) : { payItemDetail: [{ name: "", amount: "" }] }}
      width={720}
      onSave={(typed, idempotencyKey) => {
        const body = toBody(typed);
        const sent = payable
          ? update.mutateAsync({ body: { ...body, id: payable.id } })
          : save.mutateAsync({ body, options: { idempotencyKey } });
        return sent.catch((error: unknown) => {
          throw isTaken(error)
            ? new CallFailure({
                code: error.code,
                status: error.status,
                message: t.yearTaken(typed.studentNo ?? "", typed.years),
              })
            : error;
        });
      }}
      onClose={onClose}
    />
  );
}

function useFields(payable: Payable | undefined): Field[] {
  const t = useTexts();
  const exists = payable !== undefined;
  const needsNumber = exists && payable.studentNo !== null;
  return [
    {
      kind: "text",
      name: "studentNo",
      label: t.studentNo,
      required: needsNumber,
      max: 64,
      ...(!exists && {
        help: t.studentNoHelp,
        dependsOn: ["idCard"],
        check: (typed, { idCard }) => (typed || idCard ? undefined : t.nameMissing),
      }),
    },
    { kind: "text", name: "idCard", label: t.idCard, max: 32, help: exists ? t.idCardKeep : t.idCardHelp },
    { kind: "text", name: "studentName", label: t.studentName, required: true, max: 255 },
    { kind: "text", name: "years", label: t.years, required: true, max: 255, placeholder: t.yearsHelp },
    { kind: "text", name: "grade", label: t.grade, required: true, max: 255, placeholder: t.gradeHelp },
    { kind: "text", name: "collegeName", label: t.collegeName, max: 255 },
    { kind: "text", name: "majorName", label: t.majorName, max: 255 },
    { kind: "text", name: "className", label: t.className, max: 255 },
    { kind: "date", name: "dueDate", label: t.dueDate },
    {
      kind: "own",
      name: "realPayAmount",
      label: t.amount,
      required: true,
      control: <MoneyInput />,
      check: (typed) => (!typed || (parseYuan(typed as string) ?? 0) > 0 ? undefined : t.amountWrong),
    },
    {
      kind: "own",
      name: "payItemDetail",
      label: t.items,
      required: true,
      wide: true,
      control: <ItemsEditor />,
      dependsOn: ["realPayAmount"],
      check: (typed, { realPayAmount }) =>
        findFault(typed as readonly TypedItem[], realPayAmount as string | undefined, t),
    },
  ];
}

/** A student has one payable per year; the server says only that the record exists. */
const isTaken = (error: unknown): error is CallFailure => error instanceof CallFailure && error.code === "10004";

type FormTexts = ReturnType<typeof useTexts>;

function findFault(items: readonly TypedItem[], amount: string | undefined, t: FormTexts): string | undefined {
  const names = items.map(({ name }) => name.trim());
  if (names.includes("")) return t.itemNameMissing;
  if (!names.every(isItemName)) return t.itemNameWrong;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return t.itemTwice(twice);
  const sum = sumFen(items.map((item) => item.amount));
  if (sum === undefined) return t.itemAmountWrong;
  const amountFen = parseYuan(amount ?? "");
  return amountFen === undefined || amountFen === sum ? undefined : t.sumDiffers(formatFen(sum), formatFen(amountFen));
}

function toBody({
  studentNo,
  idCard,
  collegeName = "",
  majorName = "",
  className = "",
  dueDate = "",
  realPayAmount,
  payItemDetail,
  ...rest
}: Typed) {
  return {
    ...rest,
    collegeName,
    majorName,
    className,
    dueDate,
    ...(studentNo && { studentNo }),
    ...(idCard && { idCard }),
    realPayAmount: toYuan(parseYuan(realPayAmount) ?? 0),
    payItemDetail: writeItems(payItemDetail),
  };
}

const toTyped = ({
  studentNo,
  studentName,
  grade,
  years,
  collegeName,
  majorName,
  className,
  dueDate,
  ...money
}: Payable): Typed => ({
  ...(studentNo !== null && { studentNo }),
  studentName,
  grade,
  years,
  collegeName,
  majorName,
  className,
  ...(dueDate !== null && { dueDate }),
  realPayAmount: writeYuan(toFen(money.realPayAmount)),
  payItemDetail: readItems(money.payItemDetail),
});

const mostItems = 50;
const nothing: readonly TypedItem[] = [];

interface ItemsEditorProps {
  readonly id?: string;
  readonly value?: readonly TypedItem[];
  readonly onChange?: (items: readonly TypedItem[]) => void;
}

function ItemsEditor({ id, value: items = nothing, onChange }: ItemsEditorProps) {
  const t = useTexts();
  const change = (index: number, part: Partial<TypedItem>) =>
    onChange?.(items.map((item, at) => (at === index ? { ...item, ...part } : item)));
  return (
    <div className="q-stack">
      {items.map(({ name, amount }, index) => (
        // Rows have no identity except their index.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="q-tuition-item">
          <Input
            {...(index === 0 && id !== undefined && { id })}
            aria-label={t.itemNameOf(index + 1)}
            placeholder={t.itemNameHelp}
            value={name}
            maxLength={64}
            // Without its own status, each row would show an error of the whole field, such as a wrong sum.
            status={name !== "" && !isItemName(name) ? "error" : "success"}
            onChange={({ target }) => change(index, { name: target.value })}
          />
          <MoneyInput
            label={t.itemAmountOf(index + 1)}
            value={amount}
            onChange={(next) => change(index, { amount: next })}
          />
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t.removeItem(index + 1)}
            disabled={items.length === 1}
            onClick={() => onChange?.(items.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        type="dashed"
        icon={<PlusOutlined aria-hidden />}
        disabled={items.length >= mostItems}
        onClick={() => onChange?.([...items, { name: "", amount: "" }])}
      >
        {t.addItem}
      </Button>
      <Sum items={items} />
    </div>
  );
}

function Sum({ items }: { readonly items: readonly TypedItem[] }) {
  const t = useTexts();
  const form = Form.useFormInstance();
  const typed = Form.useWatch<string | undefined>("realPayAmount", form);
  const sum = sumFen(items.map(({ amount }) => amount).filter((amount) => amount !== ""));
  const amountFen = parseYuan(typed ?? "");
  const difference = sum === undefined || amountFen === undefined ? undefined : sum - amountFen;
  const take = () => {
    if (sum !== undefined) form.setFieldValue("realPayAmount", writeYuan(sum));
    void form.validateFields(["realPayAmount", "payItemDetail"]).catch(() => undefined);
  };
  return (
    <div className="q-tuition-sum" role="status">
      <span>
        {t.sum} <strong className="q-figures">{sum === undefined ? "—" : formatFen(sum)}</strong>
      </span>
      {difference === 0 && <Status tone="success">{t.sumAgrees}</Status>}
      {difference !== undefined && difference !== 0 && (
        <Status tone="error">
          {difference > 0 ? t.sumOver(formatFen(difference)) : t.sumUnder(formatFen(-difference))}
        </Status>
      )}
      {sum !== undefined && sum > 0 && difference !== 0 && (
        <Button type="link" size="small" onClick={take}>
          {t.takeSum}
        </Button>
      )}
    </div>
  );
}
