import { Button, Form, Input, Skeleton } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { ImageUpload } from "#console/blocks/images/images.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useFormCall } from "#console/blocks/use-form-call.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import { toAccents } from "#platform/contract/accent.ts";
import { platform } from "#shared/api/platform.ts";
import { toAddress } from "#shared/call/exchange.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { showInstitution } from "#shared/institution.ts";
import { useTexts } from "./texts.ts";
import "./institution.css";

type Institution = DataOf<typeof platform.readInstitution>;

export function InstitutionPage() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.readInstitution, {});
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      {error && <Failure failure={error} onRetry={refetch} />}
      {data ? <InstitutionForm institution={data} /> : !error && <Skeleton active />}
    </>
  );
}

const toPicture = (name: string): string =>
  name === "" ? "" : toAddress(`/platform/institution/picture/${encodeURIComponent(name)}`);

function InstitutionForm({ institution }: { readonly institution: Institution }) {
  const t = useTexts();
  const [form] = Form.useForm<Institution>();
  const given = { ...institution, ...Form.useWatch([], form) };
  const may = useMay()(platform.changeInstitution);
  const change = useChange(platform.changeInstitution, { done: t.saved, quiet: true });
  const { submit, busy, failure } = useFormCall<Institution>(form, async (body) => {
    await change.mutateAsync({ body });
    showInstitution({ ...body, logo: toPicture(body.logo) });
  });
  const fields: readonly Field[] = [
    { name: "name", label: t.name, kind: "text", max: 60, help: t.nameHelp },
    { name: "nameEn", label: t.nameEn, kind: "text", max: 120, help: t.nameEnHelp },
    {
      name: "color",
      label: t.color,
      kind: "own",
      control: <ColorText />,
      help: t.colorHelp,
      check: (value) => (value === "" || isColor(String(value)) ? undefined : t.notColor),
    },
    { name: "logo", label: t.logo, kind: "own", control: <ImageUpload most={1} of="institution" /> },
    {
      name: "seal",
      label: t.seal,
      kind: "own",
      control: <ImageUpload most={1} of="institution" />,
      help: t.sealHelp,
    },
  ];
  return (
    <div className="q-institution">
      <section className="q-card">
        <Form name="institution" form={form} layout="vertical" initialValues={institution} onFinish={submit}>
          {failure}
          {fields.map((field) => (
            <FormField key={field.name} field={field} />
          ))}
          <Button type="primary" htmlType="submit" loading={busy} disabled={!may}>
            {t.save}
          </Button>
        </Form>
      </section>
      <Preview institution={given} />
    </div>
  );
}

interface ColorTextProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

const isColor = (text: string): boolean => /^#[\da-f]{6}$/i.test(text);

function ColorText({ id, value = "", onChange }: ColorTextProps) {
  const t = useTexts();
  return (
    <div className="q-institution-color">
      <Input
        {...(id !== undefined && { id })}
        value={value}
        maxLength={7}
        allowClear
        onChange={({ target }) => onChange?.(target.value.trim())}
      />
      <input
        type="color"
        aria-label={t.pickColor}
        value={isColor(value) ? value : "#1d4ed8"}
        onChange={({ target }) => onChange?.(target.value)}
      />
    </div>
  );
}

function Preview({ institution: { name, color, logo, seal } }: { readonly institution: Institution }) {
  const t = useTexts();
  const accent = toAccents(isColor(color) ? color : "#1d4ed8").light;
  const shown = name || "Quintet";
  return (
    <section className="q-card" aria-label={t.preview}>
      <h2 className="q-institution-heading">{t.preview}</h2>
      <div className="q-institution-sample">
        <p className="q-institution-brand">
          {logo !== "" && <img src={toPicture(logo)} alt={t.logo} />}
          {shown}
        </p>
        <p className="q-institution-parts">
          <span style={{ background: accent, color: "#ffffff" }}>{t.sample}</span>
          <u style={{ color: accent }}>{t.sampleLink}</u>
        </p>
      </div>
      <div className="q-institution-sample q-institution-receipt">
        <strong>{t.receipt}</strong>
        <span>{t.payee(shown)}</span>
        {seal !== "" && <img src={toPicture(seal)} alt={t.seal} />}
      </div>
    </section>
  );
}
