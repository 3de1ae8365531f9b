import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useTexts } from "#shared/language/language.ts";
import { KeywordDrawer } from "#console/pages/attendance/problems/keyword-drawer.tsx";
import type { Address } from "#console/pages/attendance/records.ts";
import { texts as ownTexts } from "#console/pages/attendance/problems/texts.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";

interface AddressTableProps {
  readonly addresses: readonly Address[];
  /** After one was taken as a keyword. */
  readonly onTaken?: () => void;
}

/** Addresses in which no campus's keyword stands; each may give one. */
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
