import { Button, Input, Segmented, Space } from "antd";
import { useRef, useState } from "react";
import type { TextAreaRef } from "antd/es/input/TextArea";
import "#console/pages/disease-command/records/content.css";
import { useRecordTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { nonce } from "#shared/place.ts";

const isRich = (content: string): boolean => /<\/?[a-z][^>]*>/i.test(content);

export function Content({ content }: { readonly content: string }) {
  const t = useTexts();
  if (content.trim() === "") return <p className="q-soft">{t.nothingYet}</p>;
  if (!isRich(content)) return <div className="q-value q-disease-content">{content}</div>;
  return <Paper title={t.content} content={content} />;
}

/** The frame is of the same origin, so that its height can be read, but runs no scripts. */
function Paper({ title, content }: { readonly title: string; readonly content: string }) {
  const [height, setHeight] = useState(80);
  return (
    <iframe
      className="q-disease-content"
      sandbox="allow-same-origin"
      title={title}
      srcDoc={toDocument(content)}
      style={{ height }}
      onLoad={({ currentTarget }) => setHeight((currentTarget.contentDocument?.documentElement.scrollHeight ?? 80) + 2)}
    />
  );
}

// The sheet is white in dark mode too, as authors expect. Content that the CSP would block and report is removed first.
const sheet =
  "body{margin:12px;background:#fff;color:#1f2329;font:14px/1.7 system-ui,'PingFang SC','Microsoft YaHei',sans-serif;overflow-wrap:anywhere}img{max-width:100%}table{border-collapse:collapse}td,th{border:1px solid #d0d3d6;padding:4px 8px}";

function toDocument(content: string): string {
  // Style attributes are renamed before parsing, since the CSP reports them even then.
  const unstyled = content.replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=/gi, " data-style="));
  const parsed = new DOMParser().parseFromString(unstyled, "text/html");
  for (const element of parsed.querySelectorAll("script, style, link, meta, base, iframe, object, embed, form"))
    element.remove();
  for (const element of parsed.querySelectorAll("*"))
    for (const name of element.getAttributeNames())
      if (/^(?:data-style|style|on.*)$/i.test(name)) element.removeAttribute(name);
  for (const image of parsed.querySelectorAll("img")) if (!isOwn(image.getAttribute("src"))) image.remove();
  return `<!doctype html><meta charset="utf-8"><base target="_blank"><style nonce="${nonce}">${sheet}</style>${parsed.body.innerHTML}`;
}

/** Another host would learn from an image who reads the page. */
const isOwn = (source: string | null): boolean => /^(?:\/(?!\/)|data:image\/)/.test(source ?? "");

interface ContentFieldProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

type Format = "bold" | "heading" | "list" | "paragraph";

const formats: Readonly<Record<Format, (chosen: string) => string>> = {
  bold: (chosen) => `<b>${chosen}</b>`,
  heading: (chosen) => `<h3>${chosen}</h3>`,
  paragraph: (chosen) => `<p>${chosen}</p>`,
  list: (chosen) => `<ul>\n${chosen.replaceAll(/^.*$/gm, (line) => `  <li>${line}</li>`)}\n</ul>`,
};

export function ContentField({ id, value = "", onChange }: ContentFieldProps) {
  const t = useTexts();
  const area = useRef<TextAreaRef>(null);
  const [previewed, preview] = useState(false);
  const apply = (format: Format) => {
    const box = area.current?.resizableTextArea?.textArea;
    if (!box) return;
    const { selectionStart: from, selectionEnd: to } = box;
    onChange?.(value.slice(0, from) + formats[format](value.slice(from, to)) + value.slice(to));
    box.focus();
  };
  return (
    <>
      <div className="q-disease-content-bar">
        <Segmented
          size="small"
          value={previewed ? "preview" : "write"}
          options={[
            { value: "write", label: t.write },
            { value: "preview", label: t.preview },
          ]}
          onChange={(chosen) => preview(chosen === "preview")}
        />
        {!previewed && (
          <Space.Compact size="small" role="toolbar" aria-label={t.formatting}>
            {(Object.keys(formats) as Format[]).map((format) => (
              <Button key={format} onClick={() => apply(format)}>
                {t.format[format]}
              </Button>
            ))}
          </Space.Compact>
        )}
      </div>
      {previewed ? (
        <Content content={value} />
      ) : (
        <Input.TextArea
          ref={area}
          {...(id !== undefined && { id })}
          value={value}
          rows={12}
          onChange={({ target }) => onChange?.(target.value)}
        />
      )}
    </>
  );
}
