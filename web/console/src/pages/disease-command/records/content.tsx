import { Button, Space } from "antd";
import { useRef, useState } from "react";
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

/** The frame has the page's origin, so that the page can read its height, but it runs no scripts. */
function Paper({ title, content }: { readonly title: string; readonly content: string }) {
  const [height, setHeight] = useState(80);
  return (
    <iframe
      className="q-disease-content"
      sandbox="allow-same-origin"
      title={title}
      srcDoc={toDocument(toSafe(content))}
      style={{ height }}
      onLoad={({ currentTarget }) => setHeight((currentTarget.contentDocument?.documentElement.scrollHeight ?? 80) + 2)}
    />
  );
}

// The sheet is white in dark mode too, as authors expect. Content that the CSP would block and report is removed before
// the sheet is shown.
const sheet =
  "body{margin:12px;background:#fff;color:#1f2329;font:14px/1.7 system-ui,'PingFang SC','Microsoft YaHei',sans-serif;overflow-wrap:anywhere}img{max-width:100%}table{border-collapse:collapse}td,th{border:1px solid #d0d3d6;padding:4px 8px}";

const toDocument = (safe: string): string =>
  `<!doctype html><meta charset="utf-8"><base target="_blank"><style nonce="${nonce}">${sheet}</style>${safe}`;

/**
 * Removes active content. Styles and the addresses of other hosts' images are moved to data attributes, from which
 * `toStored` restores them.
 */
function toSafe(content: string): string {
  // Style attributes are renamed before parsing, since the CSP reports them even in a document that is never shown.
  const unstyled = content.replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/\sstyle\s*=/gi, " data-style="));
  const parsed = new DOMParser().parseFromString(unstyled, "text/html");
  for (const element of parsed.querySelectorAll("script, style, link, meta, base, iframe, object, embed, form"))
    element.remove();
  for (const element of parsed.querySelectorAll("*"))
    for (const name of element.getAttributeNames()) if (/^(?:style|on.*)$/i.test(name)) element.removeAttribute(name);
  for (const image of parsed.querySelectorAll("img")) {
    const source = image.getAttribute("src");
    if (source === null || isOwn(source)) continue;
    image.setAttribute("data-src", source);
    image.removeAttribute("src");
  }
  return parsed.body.innerHTML;
}

const toStored = (safe: string): string => safe.replaceAll(/ data-(style|src)="/g, ' $1="');

/** Loading an image from another host would tell that host who reads the page. */
const isOwn = (source: string): boolean => /^(?:\/(?!\/)|data:image\/)/.test(source);

interface ContentFieldProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

const commands = {
  bold: ["bold"],
  heading: ["formatBlock", "h3"],
  paragraph: ["formatBlock", "p"],
  list: ["insertUnorderedList"],
} as const;

/** The text is edited as it will look. Plain text is converted to paragraphs. */
export function ContentField({ id, value = "", onChange }: ContentFieldProps) {
  const t = useTexts();
  const frame = useRef<HTMLIFrameElement>(null);
  // Only the initial value is written into the frame; later values come from the frame.
  const [initial] = useState(() => toDocument(isRich(value) ? toSafe(value) : toParagraphs(value)));
  const tell = () => {
    const body = frame.current?.contentDocument?.body;
    if (body) onChange?.(isEmpty(body) ? "" : toStored(body.innerHTML));
  };
  const open = () => {
    const opened = frame.current?.contentDocument;
    if (!opened) return;
    opened.designMode = "on";
    opened.body.setAttribute("aria-label", t.content);
    opened.execCommand("defaultParagraphSeparator", false, "p");
    opened.addEventListener("input", tell);
  };
  const apply = (format: keyof typeof commands) => {
    const [command, argument] = commands[format];
    frame.current?.contentWindow?.focus();
    frame.current?.contentDocument?.execCommand(command, false, argument);
    tell();
  };
  return (
    <>
      <Space.Compact size="small" role="toolbar" aria-label={t.formatting} className="q-disease-content-bar">
        {(Object.keys(commands) as (keyof typeof commands)[]).map((format) => (
          <Button key={format} onClick={() => apply(format)}>
            {t.format[format]}
          </Button>
        ))}
      </Space.Compact>
      <iframe
        {...(id !== undefined && { id })}
        ref={frame}
        className="q-disease-content q-disease-editor"
        sandbox="allow-same-origin"
        title={t.content}
        srcDoc={initial}
        onLoad={open}
      />
    </>
  );
}

const isEmpty = ({ textContent, children }: HTMLElement): boolean =>
  textContent?.trim() === "" &&
  !Array.from(children).some((child) => child.matches("img") || child.querySelector("img"));

const toParagraphs = (text: string): string => {
  const shown = document.createElement("div");
  for (const line of text.split("\n").filter((one) => one.trim() !== ""))
    shown.appendChild(document.createElement("p")).textContent = line;
  return shown.innerHTML;
};
