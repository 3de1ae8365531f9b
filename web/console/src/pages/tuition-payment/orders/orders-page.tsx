import { UploadOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import {
  gatewayNames,
  type Order,
  orderStates,
  OrderStatus,
  useAboutGateways,
} from "#console/pages/tuition-payment/orders/order.tsx";
import { GatewayTrials } from "#console/pages/tuition-payment/orders/gateway-trials.tsx";
import { ManyRefunds, RefundButton, RefundsImport } from "#console/pages/tuition-payment/orders/many-refunds.tsx";
import { OrderDrawer } from "#console/pages/tuition-payment/orders/order-drawer.tsx";
import { useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";

const everyMs = 30_000;

export function OrdersPage() {
  const t = useTexts();
  const [opened, open] = useOpened();
  const [refunding, refund] = useState<{ readonly orders: readonly Order[]; readonly onDone: () => void }>();
  const [importing, setImporting] = useState(false);
  return (
    <>
      <ListPage
        title={t.orders}
        about={useAboutGateways(t.ordersAbout)}
        name="tuition-payment/orders"
        operation={tuitionPayment.listOrders}
        filters={useFilters()}
        columns={useColumns(open)}
        rowKey={({ orderNo }) => orderNo}
        rowName={({ orderNo }) => orderNo}
        exporting={{ operation: tuitionPayment.exportOrders }}
        actions={
          <IfMay operation={tuitionPayment.importRefunds}>
            <Button icon={<UploadOutlined aria-hidden />} onClick={() => setImporting(true)}>
              {t.importRefunds}
            </Button>
          </IfMay>
        }
        batch={(rows, unselect) => (
          <RefundButton orders={rows} onPress={(orders) => refund({ orders, onDone: unselect })} />
        )}
        everyMs={everyMs}
        empty={{ title: t.noOrders, about: t.noOrdersAbout }}
      >
        <GatewayTrials />
      </ListPage>
      {opened !== undefined && <OrderDrawer key={opened} orderNo={opened} onClose={() => open(undefined)} />}
      {refunding && <ManyRefunds {...refunding} onClose={() => refund(undefined)} />}
      {importing && <RefundsImport onClose={() => setImporting(false)} />}
    </>
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  return [
    { kind: "text", name: "keyword", label: t.keyword, placeholder: t.keywordHelp, max: 255 },
    {
      kind: "select",
      name: "status",
      label: t.status,
      options: orderStates.map((value) => ({ value, label: t.statuses[value] })),
    },
    { kind: "span", name: "created", label: t.createTime, from: "startTime", to: "endTime" },
    {
      kind: "select",
      name: "gateway",
      label: t.gateway,
      options: gatewayNames.map((value) => ({ value, label: t.gateways[value] })),
    },
    {
      kind: "select",
      name: "mismatched",
      label: t.mismatched,
      options: [{ value: "true", label: t.otherAmount }],
    },
  ];
}

function useColumns(open: (orderNo: string) => void): Column<Order>[] {
  const t = useTexts();
  return [
    { field: "orderNo", title: t.orderNo, width: 232, sortable: true },
    { field: "studentNo", title: t.studentNo, width: 116, sortable: true },
    { field: "studentName", title: t.studentName, width: 84, sortable: true },
    { field: "grade", title: t.grade, width: 76, hidden: true },
    {
      field: "amount",
      title: t.amount,
      width: 124,
      align: "right",
      sortable: true,
      render: ({ amount }) => formatAmount(amount),
    },
    {
      field: "refundedAmount",
      title: t.refundedAmount,
      width: 108,
      align: "right",
      render: ({ refundedAmount }) => (refundedAmount === 0 ? "" : formatAmount(refundedAmount)),
    },
    {
      field: "status",
      title: t.status,
      width: 108,
      sortable: true,
      render: ({ status }) => <OrderStatus status={status} />,
    },
    {
      field: "gateway",
      title: t.gateway,
      width: 124,
      render: ({ gateway }) => (gateway === null ? "" : t.gateways[gateway]),
    },
    { field: "tradeNo", title: t.tradeNo, width: 200, hidden: true },
    { field: "createTime", title: t.createTime, width: 165, sortable: true },
    { field: "payTime", title: t.payTime, width: 165, sortable: true, hidden: true },
    actionColumn(t.actions, 72, ({ orderNo }) => (
      <RowAction needs="nothing" label={t.openNamed(orderNo)} onClick={() => open(orderNo)}>
        {t.open}
      </RowAction>
    )),
  ];
}
