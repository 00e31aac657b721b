import { isAddressRange } from '@fairlead/gateway-core/admission/access-rules'
import type { RuleKind } from '@fairlead/gateway-core/grants/access-rule'

const forms: Readonly<
  Record<RuleKind, { readonly isValid: (value: string) => boolean; readonly rule: string }>
> = {
  origin: {
    isValid: (value) =>
      /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(value) ||
      /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/.test(value),
    rule: 'Must be an origin such as https://app.example, a host, or *.host.',
  },
  ip: {
    isValid: isAddressRange,
    rule: 'Must be an IP address or a CIDR range such as 192.0.2.0/24.',
  },
  method: {
    isValid: (value) => /^(?:\/?[A-Za-z0-9_][A-Za-z0-9_./-]*\*?|\/?\*)$/.test(value),
    rule: 'Must be a method name or a gRPC path, which may end with *.',
  },
}

/** Returns the value of a rule in its stored form; undefined for an invalid value. */
export function ruleValue(kind: RuleKind, text: string): string | undefined {
  // Origins and hosts are case-insensitive; browsers send them without a trailing slash.
  const value = kind === 'origin' ? text.trim().toLowerCase().replace(/\/$/, '') : text.trim()
  return forms[kind].isValid(value) ? value : undefined
}

/** Returns the requirement for values of a kind, as a validation error. */
export function ruleOfValues(kind: RuleKind): string {
  return forms[kind].rule
}
