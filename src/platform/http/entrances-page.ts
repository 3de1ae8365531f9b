import type { Language } from "#platform/contract/language.ts";
import { beginPage, escapeHtml, mark } from "#platform/http/html.ts";
import type { WebPage } from "#platform/process/service.ts";

const texts = {
  zh: {
    title: "校园与城市服务",
    about: "登记项目、缴纳学费、查找公厕等服务的入口",
    what: "您要办理什么？",
    staff: "工作人员",
    console: "管理控制台",
    consoleAbout: "登录后审核、导入、对账与维护数据",
    developers: "开发者与接口文档",
    nothing: "这里没有面向公众的服务。",
  },
  en: {
    title: "Services of campus and city",
    about: "Where to register a project, pay tuition or find a toilet",
    what: "What would you like to do?",
    staff: "Staff",
    console: "Administrators' console",
    consoleAbout: "Sign in to judge, import, reconcile and keep data",
    developers: "Developers and API reference",
    nothing: "There is no service for the public here.",
  },
} as const;

export interface Entrances {
  readonly base: string;
  readonly style: string;
  readonly pages: readonly WebPage[];
  readonly hasConsole: boolean;
}

/** What a visitor may have come for, as far as this process serves it. */
export function renderEntrances(language: Language, { base, style, pages, hasConsole }: Entrances): string {
  const text = texts[language];
  const head = [
    `<meta name="description" content="${text.about}">`,
    `<link rel="manifest" href="${base}/manifest.webmanifest">`,
    `<link rel="stylesheet" href="${style}">`,
  ];
  return `${beginPage(language, text.title, ...head)}
<body class="entrances">
<header>
<div class="mark">${mark}</div>
<div><h1>${text.title}</h1><p>${pages.length > 0 ? text.what : text.nothing}</p></div>
</header>
<main>
<ul class="cards">
${pages.map((page) => renderEntrance(`${base}${page.paths[0]}`, page.title[language], page.about[language])).join("\n")}
</ul>
${hasConsole ? `<h2>${text.staff}</h2>\n<ul class="cards">\n${renderEntrance(`${base}/console/`, text.console, text.consoleAbout)}\n</ul>` : ""}
</main>
<footer><a href="${base}/developers">${text.developers}</a></footer>
</body>
</html>
`;
}

const renderEntrance = (address: string, title: string, about: string): string =>
  `<li><a href="${address}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></a></li>`;

/** What the entrances are called on a home screen. */
export const describeEntrances = (language: Language) => ({
  title: texts[language].title,
  about: texts[language].about,
});
