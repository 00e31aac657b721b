import type { ComponentChildren } from 'preact'

/** The tone of a badge, by how good or bad its state is. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent'

/** A state in one word. */
export function Badge({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={tone === 'plain' ? 'badge' : `badge is-${tone}`}>{children}</span>
}

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  up: 'good',
  delivered: 'good',
  allow: 'good',
  available: 'good',
  pending: 'warn',
  unknown: 'plain',
  down: 'bad',
  failed: 'bad',
  revoked: 'bad',
  deny: 'bad',
  disabled: 'bad',
  'not supported': 'bad',
  expired: 'warn',
}

/** A state of the platform API as a badge. */
export function StateBadge({ state }: { readonly state: string }) {
  return <Badge tone={tones[state] ?? 'plain'}>{state}</Badge>
}
