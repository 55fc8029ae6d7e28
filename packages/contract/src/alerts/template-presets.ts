/** A body that another system takes, as a start for a template alert (docs/contract/notifications.md 1.19). */
export interface TemplatePreset {
  readonly id: string;
  readonly name: string;
  readonly body: object;
}

const CHAT_TEXT = '{{headline}}\n{{service}} ({{environment}})\n{{url}}';

export const TEMPLATE_PRESETS: readonly TemplatePreset[] = [
  {
    id: 'google-chat',
    name: 'Google Chat',
    body: { text: '*{{headline}}*\n{{service}} ({{environment}}), {{severity}}\n{{url}}' },
  },
  { id: 'feishu', name: 'Feishu or Lark', body: { msg_type: 'text', content: { text: CHAT_TEXT } } },
  { id: 'wecom', name: 'WeCom', body: { msgtype: 'text', text: { content: CHAT_TEXT } } },
  { id: 'dingtalk', name: 'DingTalk', body: { msgtype: 'text', text: { content: CHAT_TEXT } } },
  { id: 'zulip', name: 'Zulip, as Slack', body: { text: '{{headline}} {{url}}' } },
  {
    id: 'opsgenie',
    name: 'Opsgenie',
    body: {
      message: '{{headline}}',
      alias: '{{id}}',
      description: '{{description}}\n{{cause}}\n{{url}}',
      entity: '{{service}}',
      details: { severity: '{{severity}}', environment: '{{environment}}', release: '{{release}}' },
    },
  },
  {
    id: 'incident-io',
    name: 'incident.io',
    body: {
      title: '{{headline}}',
      description: '{{description}}',
      status: '{{state}}',
      deduplication_key: '{{id}}',
      source_url: '{{url}}',
      metadata: { service: '{{service}}', environment: '{{environment}}', severity: '{{severity}}' },
    },
  },
];
