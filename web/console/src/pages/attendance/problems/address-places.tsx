import { PlayCircleOutlined } from "@ant-design/icons";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Alert, App, Button, Input, Radio } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { call } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import { useMay } from "#console/session/session.ts";
import { type Choices, mostCharacters, type Place, placeAddresses } from "#console/pages/attendance/problems/places.ts";
import { type Address, type Month, useUnplaced } from "#console/pages/attendance/records.ts";
import { usePlaceTexts as useTexts } from "#console/pages/attendance/texts.ts";

export function PlacesBanner({ month }: { readonly month: Month }) {
  const t = useTexts();
  const addresses = useUnplaced(month);
  if (addresses.length === 0) return null;
  const punches = addresses.reduce((sum, { count }) => sum + count, 0);
  return (
    <section className="q-card q-attendance-places" aria-label={t.title}>
      <Alert
        type="warning"
        showIcon
        title={t.bannerTitle(formatCount(addresses.length), formatCount(punches))}
        description={t.about}
      />
      <AddressPlaces month={month} addresses={addresses} />
    </section>
  );
}

interface AddressPlacesProps {
  readonly month: Month;
  readonly addresses: readonly Address[];
}

const places: readonly Place[] = [1, 2, 0];

export function AddressPlaces({ month, addresses }: AddressPlacesProps) {
  const t = useTexts();
  const may = useMay();
  const [choices, setChoices] = useState<Choices>(new Map());
  const [selected, select] = useState<readonly Address[]>([]);
  const placed = placeAddresses(
    addresses.map(({ address }) => address),
    choices,
  );
  const choose = (of: readonly Address[], campus: Place, keyword?: string) =>
    setChoices(
      new Map([
        ...choices,
        ...of.map(({ address }) => [address, { campus, ...(keyword !== undefined && { keyword }) }] as const),
      ]),
    );
  const isOffered = may(attendance.addKeyword);
  const rest = selected.length > 0 ? selected : addresses.filter(({ address }) => !placed.has(address));
  const several = selected.length > 0 ? t.selected(selected.length) : t.rest(rest.length);
  return (
    <>
      {isOffered && addresses.length > 1 && rest.length > 0 && (
        <div className="q-buttons" role="group" aria-label={several}>
          {several}
          {places.map((campus) => (
            <Button
              key={campus}
              size="small"
              onClick={() => {
                choose(rest, campus);
                select([]);
              }}
            >
              {t.places[campus]}
            </Button>
          ))}
        </div>
      )}
      <Records<Address>
        density="small"
        rowKey={({ address }) => address}
        rows={addresses}
        empty={null}
        pageSize={10}
        {...(isOffered && { selection: { rows: selected, onChange: select, nameOf: ({ address }) => address } })}
        columns={[
          {
            title: t.address,
            field: "address",
            width: 320,
            wraps: true,
            render: (row) => (
              <AddressText
                address={row.address}
                placed={placed.get(row.address)}
                onType={(campus, keyword) => choose([row], campus, keyword)}
              />
            ),
          },
          {
            title: t.punches,
            field: "count",
            width: 90,
            align: "right",
            render: ({ count }) => t.times(formatCount(count)),
          },
          {
            title: t.people,
            field: "people",
            width: 80,
            align: "right",
            render: ({ people }) => t.persons(formatCount(people)),
          },
          ...(isOffered
            ? [
                actionColumn<Address>(t.belongs, 210, (row) => (
                  <Radio.Group
                    size="small"
                    optionType="button"
                    buttonStyle="solid"
                    aria-label={t.belongsNamed(row.address)}
                    value={placed.get(row.address)?.campus ?? null}
                    options={places.map((value) => ({ value, label: t.places[value] }))}
                    onChange={({ target }) => choose([row], target.value as Place)}
                  />
                )),
              ]
            : []),
        ]}
      />
      {isOffered && <Keep month={month} placed={placed} onKept={() => setChoices(new Map())} />}
    </>
  );
}

type PlacedAddresses = ReturnType<typeof placeAddresses>;

interface AddressTextProps {
  readonly address: string;
  readonly placed: ReturnType<PlacedAddresses["get"]>;
  readonly onType: (campus: Place, keyword: string) => void;
}

function AddressText({ address, placed, onType }: AddressTextProps) {
  const t = useTexts();
  return (
    <>
      {address}
      {placed && !placed.isChosen && <small className="q-soft q-attendance-file">{t.metBy(placed.keyword)}</small>}
      {placed?.isChosen && (
        <Input
          size="small"
          prefix={<span className="q-soft">{t.keyword}</span>}
          aria-label={t.keywordOf(address)}
          maxLength={mostCharacters}
          value={placed.keyword}
          onChange={({ target }) => onType(placed.campus, target.value)}
          {...(placed.fault && { status: "error", "aria-invalid": true })}
        />
      )}
      {placed?.fault && <small className="q-attendance-bad">{t.faults[placed.fault]}</small>}
    </>
  );
}

interface KeepProps {
  readonly month: Month;
  readonly placed: PlacedAddresses;
  readonly onKept: () => void;
}

function Keep({ month: { month, statu, employees, locked }, placed, onKept }: KeepProps) {
  const t = useTexts();
  const may = useMay();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const chosen = [...placed.values()].filter(({ isChosen }) => isChosen);
  const orders = new Map(chosen.map(({ campus, keyword }) => [keyword, { campus, keyword }]));
  const analyses = may(attendance.analyse) && !locked && employees > 0;
  const keep = useMutation<void, CallFailure>({
    mutationFn: async () => {
      const count = await call(attendance.addKeyword, { body: [...orders.values()] });
      void message.success(t.kept(count));
      onKept();
      if (analyses) await call(attendance.analyse, { query: { month } });
    },
    onError: (failure) => void message.error(failure.message),
    onSettled: async () => {
      // The month's state is read first, so that its old figures are not shown beside the new places.
      await queries.invalidateQueries({ queryKey: ["attendance", attendance.listMonths.name] });
      await queries.invalidateQueries({ queryKey: ["attendance"] });
    },
  });
  return (
    <div className="q-buttons">
      <Button
        type="primary"
        icon={analyses && <PlayCircleOutlined aria-hidden />}
        // A running analysis would still use the old keywords.
        disabled={chosen.length === 0 || chosen.some(({ fault }) => fault !== undefined) || statu === 1}
        loading={keep.isPending}
        onClick={() => keep.mutate()}
      >
        {analyses ? t.keepAndAnalyse : t.keep}
      </Button>
      <span className="q-soft">{locked ? t.keepLocked : t.analysedOnce(placed.size)}</span>
    </div>
  );
}
