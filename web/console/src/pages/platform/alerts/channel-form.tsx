import type { RecordOf } from "#shared/call/operation.ts";
import { Select } from "antd";
import { useState } from "react";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

export type Channel = RecordOf<typeof platform.listAlertChannels>;

type Kind = Channel["kind"];

interface Given {
  readonly name: string;
  readonly kind: Kind;
  readonly address: string;
  /** Of a webhook. */
  readonly secret?: string;
  /** Of DingTalk's robot: another field, so that the made-up secret does not get into it. */
  readonly robotSecret?: string;
  readonly conditions?: string[];
  readonly language: Channel["language"];
  readonly enabled: boolean;
}

interface ChannelFormProps {
  readonly channel: Channel | undefined;
  readonly onClose: () => void;
}

const kinds = ["webhook", "mail", "wecom", "dingtalk"] as const;
const secretBytes = 32;

/** As the relay's: what a receiver verifies messages with. */
const makeSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(secretBytes))))}`;

/** Makes a channel or changes one; which fields there are follows from its kind, which stays. */
export function ChannelForm({ channel, onClose }: ChannelFormProps) {
  const t = useTexts(texts);
  const options = { done: t.saved, quiet: true };
  const create = useChange(platform.createAlertChannel, options);
  const update = useChange(platform.updateAlertChannel, options);
  const [kind, setKind] = useState<Kind>(channel?.kind ?? "webhook");
  const [first] = useState(() => ({ kind: "webhook" as const, language: "zh" as const, secret: makeSecret() }));
  const fields = useFields(kind, channel, setKind);
  const save = ({ secret, robotSecret, conditions, kind: _kind, ...given }: Given, idempotencyKey: string) => {
    const own = kind === "webhook" ? secret : kind === "dingtalk" ? robotSecret : undefined;
    const body = { ...given, conditions: conditions?.length ? conditions : null, ...(own && { secret: own }) };
    return channel
      ? update.mutateAsync({ body: { ...body, id: channel.id } })
      : create.mutateAsync({ body: { ...body, kind }, options: { idempotencyKey } });
  };
  return (
    <FormDrawer<Given>
      title={channel ? t.editChannel(channel.name) : t.createChannel}
      needs={channel ? platform.updateAlertChannel : platform.createAlertChannel}
      fields={fields}
      initial={channel ? toGiven(channel) : { ...first, enabled: true }}
      onSave={save}
      onClose={onClose}
    />
  );
}

const toGiven = ({ name, address, conditions, language, enabled }: Channel): Partial<Given> => ({
  name,
  address,
  conditions: conditions ?? [],
  language,
  enabled,
});

function useFields(kind: Kind, channel: Channel | undefined, choose: (kind: Kind) => void): Field[] {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const { data } = useRead(platform.listAlertConditions, {});
  const kindField: Field = {
    kind: "own",
    name: "kind",
    label: t.kind,
    required: true,
    control: <KindChoice onChoose={choose} />,
  };
  return [
    { kind: "text", name: "name", label: t.name, required: true, max: 100 },
    ...(channel ? [] : [kindField]),
    { kind: "text", name: "address", label: t.address, required: true, max: 1000, help: t.addressHelp[kind] },
    ...secretFields(kind, channel !== undefined, t),
    {
      kind: "select",
      several: true,
      name: "conditions",
      label: t.conditionsOf,
      placeholder: t.everything,
      options: (data ?? []).map(({ id, title }) => ({ value: id, label: title[language] })),
    },
    {
      kind: "choices",
      name: "language",
      label: t.language,
      options: (["zh", "en"] as const).map((value) => ({ value, label: t.languages[value] })),
    },
    { kind: "switch", name: "enabled", label: t.enabled, off: false, on: true },
  ];
}

type Texts = (typeof texts)["zh"];

function secretFields(kind: Kind, isThere: boolean, t: Texts): Field[] {
  const keep = isThere ? ` ${t.secretKeep}` : "";
  if (kind === "webhook")
    return [
      isThere
        ? { kind: "password", name: "secret", label: t.secret, max: 500, help: t.secretKeep }
        : {
            kind: "password",
            given: true,
            make: makeSecret,
            name: "secret",
            label: t.secret,
            required: true,
            max: 500,
            help: t.secretHelp.webhook,
          },
    ];
  if (kind !== "dingtalk") return [];
  return [{ kind: "password", name: "robotSecret", label: t.secret, max: 500, help: t.secretHelp.dingtalk + keep }];
}

interface KindChoiceProps {
  readonly id?: string;
  readonly value?: Kind;
  readonly onChange?: (kind: Kind) => void;
  readonly onChoose: (kind: Kind) => void;
}

/** A select whose choice the form around it must know of, since its other fields follow from it. */
function KindChoice({ id, value, onChange, onChoose }: KindChoiceProps) {
  const t = useTexts(texts);
  return (
    <Select<Kind>
      {...(id !== undefined && { id })}
      {...(value !== undefined && { value })}
      onChange={(next) => {
        onChange?.(next);
        onChoose(next);
      }}
      options={kinds.map((one) => ({ value: one, label: t.kinds[one] }))}
    />
  );
}
