import type { FastifyRequest } from "fastify";
import type { Language } from "#platform/contract/language.ts";
import { beginPage, mark } from "#platform/http/html.ts";

const texts = {
  zh: {
    title: "没有这个页面",
    about: "地址可能输入有误，或页面已经移走。",
    home: "返回首页",
  },
  en: {
    title: "There is no such page",
    about: "The address may be mistyped, or the page has moved.",
    home: "Back to the start",
  },
} as const;

/** The page of an address that nobody serves. */
export const renderMissingPage = (language: Language, base: string, style: string): string => {
  const text = texts[language];
  return `${beginPage(language, text.title, `<link rel="stylesheet" href="${style}">`)}
<body class="missing">
<main>
<div class="mark">${mark}</div>
<h1>${text.title}</h1>
<p>${text.about}</p>
<p><a class="way" href="${base}/">${text.home}</a></p>
</main>
</body>
</html>
`;
};

/** Whether it is a person who asks: Accept names a page before JSON, or at all where it does not name JSON. */
export function wantsPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const wanted = (headers.accept ?? "").slice(0, 500).split(",").map(readRange);
  const page = wanted.find(({ type, weight }) => type === "text/html" && weight > 0);
  const json = wanted.find(({ type, weight }) => type === "application/json" && weight > 0);
  if (!page || !json) return page !== undefined;
  return page.weight === json.weight ? wanted.indexOf(page) < wanted.indexOf(json) : page.weight > json.weight;
}

function readRange(range: string): { type: string; weight: number } {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((part) => part.startsWith("q="))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}
