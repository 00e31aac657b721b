/** What one check has found. */
export interface Finding {
  /** What was looked at, for example `data directory`. */
  readonly about: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** What was seen; it holds no secret. */
  readonly seen: string
  /** What to do about it. */
  readonly advice?: string | undefined
}

export function ok(about: string, seen: string): Finding {
  return { about, state: 'ok', seen }
}

export function warning(about: string, seen: string, advice: string): Finding {
  return { about, state: 'warning', seen, advice }
}

export function problem(about: string, seen: string, advice: string): Finding {
  return { about, state: 'problem', seen, advice }
}
