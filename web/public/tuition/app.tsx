import type { Guest } from "#public/blocks/guest.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { call } from "#shared/call/exchange.ts";
import { Shell } from "#public/blocks/shell.tsx";
import { AccountPage } from "./account-page.tsx";
import { FeedbackPage } from "./feedback-page.tsx";
import { LinkPage } from "./link-page.tsx";
import { Link, paths, toView, usePath, type View } from "#public/tuition/route.tsx";
import { OrderPage } from "./order-page.tsx";
import { OrdersPage } from "./orders-page.tsx";
import { OwedPage } from "./owed-page.tsx";
import { PayPage } from "./pay-page.tsx";
import { SignIn } from "#public/blocks/sign-in.tsx";
import { students } from "./student.ts";
import { useTexts } from "./texts.ts";

const above = {
  owed: "/",
  pay: "/h5/tuition/",
  orders: "/h5/tuition/",
  order: "/h5/tuition/orders",
  account: "/h5/tuition/",
  feedback: "/h5/tuition/",
};

async function exchange(code: string): Promise<Guest> {
  const { cardNumber, token } = await call(tuitionPayment.loginStudent, { body: { code } });
  return { number: cardNumber, token };
}

type OwnView = Exclude<View, { readonly page: "link" }>;

export function App() {
  const t = useTexts();
  const standing = students.useStanding();
  const view = toView(usePath());
  if (view.page === "link")
    return (
      <Shell title={t.titles.link}>
        <LinkPage />
      </Shell>
    );
  if (standing !== "in")
    return (
      <Shell title={t.title}>
        <SignIn standing={standing} guests={students} says={t.signIn} entrance={paths.owed} exchange={exchange} />
      </Shell>
    );
  return (
    <Shell title={t.titles[view.page]} back={above[view.page]}>
      <Tabs page={view.page} />
      <Page view={view} />
    </Shell>
  );
}

function Page({ view }: { readonly view: OwnView }) {
  if (view.page === "pay") return <PayPage />;
  if (view.page === "orders") return <OrdersPage />;
  if (view.page === "account") return <AccountPage />;
  if (view.page === "feedback") return <FeedbackPage />;
  return view.page === "order" ? <OrderPage key={view.orderNo} orderNo={view.orderNo} /> : <OwedPage />;
}

const tabs = ["owed", "orders", "account", "feedback"] as const;
const tabOf = {
  owed: "owed",
  pay: "owed",
  orders: "orders",
  order: "orders",
  account: "account",
  feedback: "feedback",
} as const;

function Tabs({ page }: { readonly page: OwnView["page"] }) {
  const t = useTexts();
  return (
    <nav className="tuition-tabs" aria-label={t.pages}>
      {tabs.map((tab) => (
        <Link key={tab} to={paths[tab]} current={tab === tabOf[page]}>
          {t.tabs[tab]}
        </Link>
      ))}
    </nav>
  );
}
