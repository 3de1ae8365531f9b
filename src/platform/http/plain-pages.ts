import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import type { RenderMissing } from "#platform/http/failure.ts";
import { beginPage, type Branding, describeBranding, escapeHtml, mark } from "#platform/http/html.ts";
import {
  contentTypes,
  nameContent,
  sendStored,
  type StoredAnswer,
  storeAnswer,
  storeBilingual,
} from "#platform/http/send.ts";
import { type InstitutionReader, perInstitution } from "#platform/process/institution.ts";
import type { WebPage } from "#platform/process/service.ts";

export const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const sheet = readFileSync(new URL("plain-pages.css", import.meta.url), "utf8");

const plainPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const allowStyle = (policy: string, { styleSource }: Branding): string =>
  styleSource === "" || policy.includes("'unsafe-inline'")
    ? policy
    : policy.replace("style-src 'self'", `style-src 'self' ${styleSource}`);

/** Returns the style sheet and its address, which contains a hash of the content. */
function writeSheet(base: string, contracts: readonly ServiceContract[]) {
  const colors = contracts.flatMap(({ name, color }) => (color === undefined ? [] : [`.${name}{--own:${color}}`]));
  const text = [sheet, ...colors].join("\n");
  return { text, address: `${base}/plain-${nameContent(text)}.css` };
}

export interface PlainPages {
  readonly base: string;
  readonly contracts: readonly ServiceContract[];
  readonly pages: readonly WebPage[];
  readonly hasConsole: boolean;
  readonly institution: InstitutionReader;
}

export function servePlainPages(app: FastifyInstance, plain: PlainPages): void {
  const { base, contracts, institution } = plain;
  const { text, address: style } = writeSheet(base, contracts);
  const serve = (address: string, answer: StoredAnswer) =>
    app.get(address, (request, reply) => sendStored(request, reply, answer));
  const forEver = { "cache-control": "public, max-age=31536000, immutable" };
  serve(style, storeAnswer(text, { "content-type": contentTypes.css, ...forEver }));
  const serveOwn = (addresses: readonly string[], render: typeof renderEntrances) =>
    servePlain(app, { addresses, base, institution, render: (...reader) => render(...reader, style, plain) });
  serveOwn(base === "" ? ["/"] : [base, `${base}/`], renderEntrances);
  serveOwn([`${base}/developers`], renderDevelopers);
  const aDay = { "cache-control": "public, max-age=86400" };
  const small = storeAnswer(mark, { "content-type": contentTypes.svg, ...aDay });
  // Browsers request the icon at the root of the host too, whatever the base path is.
  for (const address of new Set([`${base}/favicon.ico`, "/favicon.ico"])) serve(address, small);
  const large = readFileSync(new URL("icon-192.png", import.meta.url));
  serve(`${base}/icon-192.png`, storeAnswer(large, { "content-type": contentTypes.png, ...aDay }));
}

export const orderForReaders = (contracts: readonly ServiceContract[]): readonly ServiceContract[] =>
  contracts.toSorted((a, b) => Number(a.name === "platform") - Number(b.name === "platform"));

interface PlainPage {
  readonly addresses: readonly string[];
  readonly base: string;
  readonly institution: InstitutionReader;
  readonly render: (language: Language, branding: Branding) => string;
  readonly policy?: string;
}

/** A page's own Content-Security-Policy replaces the default policy of all answers. */
export function servePlain(
  app: FastifyInstance,
  { addresses, base, institution, render, policy = plainPolicy }: PlainPage,
): void {
  const open = perInstitution(institution, (whose) =>
    storeBilingual((language) => {
      const branding = describeBranding(whose, language, base);
      return storeAnswer(render(language, branding), describePage(language, allowStyle(policy, branding)));
    }),
  );
  for (const address of addresses) app.get(address, (request, reply) => open()(request, reply));
}

const sayInstitution = ({ name }: Branding): string => (name === "" ? "" : `<p class="institution">${name}</p>`);

export const describePage = (language: Language, policy: string) => ({
  "content-type": contentTypes.html,
  "content-language": language,
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  vary: "accept-language",
});

const entranceTexts = {
  zh: {
    title: "校园与城市服务",
    about: "登记项目、缴纳学费、查找公厕等服务的入口",
    what: "您要办理什么？",
    staff: "工作人员",
    console: "管理控制台",
    consoleAbout: "登录后审核、导入、对账与维护数据",
    developers: "开发者与接口文档",
    nothing: "暂无面向公众的服务。",
  },
  en: {
    title: "Services of campus and city",
    about: "Register projects, pay tuition, find toilets and use other services",
    what: "What would you like to do?",
    staff: "Staff",
    console: "Administrators' console",
    consoleAbout: "Sign in to review, import, reconcile and maintain data",
    developers: "Developers and API reference",
    nothing: "No public services are available.",
  },
} as const;

function renderEntrances(
  language: Language,
  branding: Branding,
  style: string,
  { base, pages, hasConsole }: PlainPages,
): string {
  const text = entranceTexts[language];
  const head = [`<meta name="description" content="${text.about}">`, `<link rel="stylesheet" href="${style}">`];
  return `${beginPage(language, text.title, { head, branding })}
<body class="entrances">
<header>
<div class="mark">${branding.mark}</div>
<div>${sayInstitution(branding)}<h1>${text.title}</h1><p>${pages.length > 0 ? text.what : text.nothing}</p></div>
</header>
<main>
<ul class="cards">
${pages.map((page) => renderCard(`${base}${page.paths[0]}`, escapeHtml(page.title[language]), escapeHtml(page.about[language]))).join("\n")}
</ul>
${hasConsole ? `<h2>${text.staff}</h2>\n<ul class="cards">\n${renderCard(`${base}/console/`, escapeHtml(text.console), text.consoleAbout)}\n</ul>` : ""}
</main>
<footer><a href="${base}/developers">${text.developers}</a></footer>
</body>
</html>
`;
}

const developerTexts = {
  zh: {
    title: "Quintet 开发者",
    subtitle: "大学与城市的五项服务，一个平台",
    services: "服务",
    operations: (count: number) => `${count} 个接口`,
    entrances: "首页",
    reference: "接口文档",
    referenceAbout: "全部接口，可直接试用",
    documentAbout: "OpenAPI 3.1，供生成客户端",
    state: "运行状态",
    live: "进程存活",
    ready: "可接受请求",
    health: "各部分的状态（操作员）",
  },
  en: {
    title: "Quintet for developers",
    subtitle: "Five services of a university and its city, on one platform",
    services: "Services",
    operations: (count: number) => (count === 1 ? "1 operation" : `${count} operations`),
    entrances: "Home",
    reference: "API reference",
    referenceAbout: "Every operation, to read and to try",
    documentAbout: "OpenAPI 3.1, to generate clients from",
    state: "Health",
    live: "Liveness",
    ready: "Readiness",
    health: "Component health (operators)",
  },
} as const;

function renderDevelopers(
  language: Language,
  branding: Branding,
  style: string,
  { base, contracts }: PlainPages,
): string {
  const text = developerTexts[language];
  const links = (entries: readonly (readonly [path: string, about: string])[]): string =>
    entries.map(([path, about]) => renderCard(base + path, `<code>${base}${path}</code>`, about)).join("\n");
  const services = orderForReaders(contracts).map(({ name, title, about, endpoints }) => {
    const count = text.operations(Object.keys(endpoints).length);
    return renderCard(`${base}/docs?api=${name}`, title[language], about[language], name, `<small>${count}</small>`);
  });
  return `${beginPage(language, text.title, { head: [`<link rel="stylesheet" href="${style}">`], branding })}
<body>
<header>
<div class="mark">${branding.mark}</div>
<div>${sayInstitution(branding)}<h1><a href="${base}/" title="${text.entrances}">Quintet</a></h1><p>${text.subtitle} · ${escapeHtml(version)}</p></div>
</header>
<main>
<h2>${text.services}</h2>
<ul class="cards">
${services.join("\n")}
</ul>
<h2>${text.reference}</h2>
<ul class="cards">
${links([
  ["/docs", text.referenceAbout],
  ["/openapi.json", text.documentAbout],
])}
</ul>
<h2>${text.state}</h2>
<ul class="cards">
${links([
  ["/livez", text.live],
  ["/readyz", text.ready],
  ["/platform/health", text.health],
])}
</ul>
</main>
</body>
</html>
`;
}

const renderCard = (address: string, title: string, about: string, kind = "plain", more = ""): string =>
  `<li class="${kind}"><a href="${address}"><strong>${title}</strong><span>${about}</span>${more}</a></li>`;

const missingTexts = {
  zh: {
    title: "没有这个页面",
    about: "地址可能有误，或页面已移动。",
    home: "返回首页",
  },
  en: {
    title: "Page not found",
    about: "The address may be mistyped, or the page has moved.",
    home: "Back to the home page",
  },
} as const;

export function compileMissingPage(
  base: string,
  contracts: readonly ServiceContract[],
  institution: InstitutionReader,
): RenderMissing {
  const { address: style } = writeSheet(base, contracts);
  return (language) => {
    const text = missingTexts[language];
    const branding = describeBranding(institution.current(), language, base);
    const html = `${beginPage(language, text.title, { head: [`<link rel="stylesheet" href="${style}">`], branding })}
<body class="missing">
<main>
<div class="mark">${branding.mark}</div>
${sayInstitution(branding)}<h1>${text.title}</h1>
<p>${text.about}</p>
<p><a class="way" href="${base}/">${text.home}</a></p>
</main>
</body>
</html>
`;
    return { html, headers: describePage(language, allowStyle(plainPolicy, branding)) };
  };
}
