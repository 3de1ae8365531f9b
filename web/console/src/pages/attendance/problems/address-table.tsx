import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { useTexts } from "#shared/language/language.ts";
import type { Address } from "#console/pages/attendance/records.ts";
import { problemTexts as ownTexts, texts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";
import { App, Input } from "antd";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";

interface AddressTableProps {
  readonly addresses: readonly Address[];
  readonly onTaken?: () => void;
}

export function AddressTable({ addresses, onTaken }: AddressTableProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const may = useMay();
  const [taken, take] = useState<string>();
  return (
    <>
      <Records<Address>
        density="small"
        rowKey={({ address }) => address}
        rows={addresses}
        empty={null}
        pageSize={10}
        columns={[
          { title: t.address, field: "address", width: 160, wraps: true },
          { title: t.punches, field: "count", width: 72, align: "right", render: ({ count }) => formatCount(count) },
          { title: t.days, field: "days", width: 60, align: "right", render: ({ days }) => formatCount(days) },
          { title: t.people, field: "people", width: 64, align: "right", render: ({ people }) => formatCount(people) },
          ...(may(attendance.addKeyword)
            ? [
                actionColumn<Address>(t.operations, 154, ({ address }) => (
                  <RowAction needs={attendance.addKeyword} label={t.takeNamed(address)} onClick={() => take(address)}>
                    {t.take}
                  </RowAction>
                )),
              ]
            : []),
        ]}
      />
      {taken !== undefined && (
        <KeywordDrawer
          address={taken}
          addresses={addresses}
          onTaken={() => onTaken?.()}
          onClose={() => take(undefined)}
        />
      )}
    </>
  );
}

interface KeywordDrawerProps {
  readonly address: string;
  readonly addresses: readonly Address[];
  readonly onTaken: () => void;
  readonly onClose: () => void;
}

interface Typed {
  readonly campus: 1 | 2;
  readonly keyword: string;
}

function KeywordDrawer({ address, addresses, onTaken, onClose }: KeywordDrawerProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const { message } = App.useApp();
  const add = useChange(attendance.addKeyword, { quiet: true });
  const save = async ({ campus, keyword: typed }: Typed) => {
    const keyword = typed.trim();
    const isNew = (await add.mutateAsync({ body: { campus, keyword } })) === "1";
    void message.success(isNew ? t.keywordAdded(keyword) : t.keywordThere(keyword));
    if (isNew) onTaken();
  };
  const complain = (typed: unknown) =>
    typeof typed === "string" && typed !== "" && !hasKeyword(address, typed) ? t.keywordOutside : undefined;
  return (
    <FormDrawer<Typed>
      title={t.takeTitle}
      needs={attendance.addKeyword}
      saveText={t.takeSave}
      initial={{ keyword: proposeKeyword(address) }}
      fields={[
        {
          kind: "choices",
          name: "campus",
          label: t.campus,
          required: true,
          options: ([1, 2] as const).map((value) => ({ value, label: t.campusNames[value] })),
        },
        {
          kind: "own",
          name: "keyword",
          label: t.keyword,
          required: true,
          check: complain,
          control: <KeywordText addresses={addresses} />,
        },
      ]}
      onSave={save}
      onClose={onClose}
    >
      <p className="q-soft">{t.takeAbout}</p>
      <p className="q-attendance-address">
        <span className="q-soft">{t.fromAddress}</span> {address}
      </p>
    </FormDrawer>
  );
}

interface KeywordTextProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly addresses: readonly Address[];
}

function KeywordText({ id, value = "", onChange, addresses }: KeywordTextProps) {
  const t = useTexts(ownTexts);
  const met = value.trim() === "" ? [] : addresses.filter(({ address }) => hasKeyword(address, value));
  const punches = met.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <Input
        {...(id !== undefined && { id })}
        value={value}
        maxLength={mostCharacters}
        showCount
        onChange={({ target }) => onChange?.(target.value)}
      />
      <span className="q-soft q-figures" role="status">
        {met.length > 0 && t.meets(formatCount(met.length), formatCount(punches))}
      </span>
    </>
  );
}

// A keyword at the server has no more characters.
const mostCharacters = 64;

/** What of an address most likely tells the campus: without what stands in brackets, numbers of devices, floors. */
function proposeKeyword(address: string): string {
  const plain = address
    .replaceAll(/[（(【[][^）)】\]]*[）)】\]]/g, " ")
    .split(/[：:，,；;|_\s]/)
    .map((part) => part.trim())
    .find((part) => part.length > 1 && !/^[\dA-F:-]+$/i.test(part));
  return (plain ?? address.trim()).slice(0, mostCharacters);
}

/** Case does not matter, as for the analysis. */
const hasKeyword = (address: string, keyword: string): boolean =>
  address.toLowerCase().includes(keyword.trim().toLowerCase());
