import { type Bump, highest } from '@fairlead/spec-diff'
import ts from 'typescript'
import { printed } from './printed.ts'

/** The value of an exported constant that has no more informative type annotation. */
export type Value =
  | { readonly kind: 'literal'; readonly type: string; readonly text: string }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Value> }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'expression'; readonly text: string }

/** Reads the value of a literal expression. */
export function valueOf(node: ts.Expression): Value {
  const inner = withoutAssertions(node)
  const fields = ts.isObjectLiteralExpression(inner) ? inner.properties.filter(ts.isPropertyAssignment) : []
  if (ts.isObjectLiteralExpression(inner) && fields.length === inner.properties.length)
    return {
      kind: 'object',
      fields: new Map(fields.map(({ name, initializer }) => [printed(name), valueOf(initializer)])),
    }
  if (ts.isArrayLiteralExpression(inner)) return { kind: 'list', items: inner.elements.map(printed) }
  const isLiteral =
    ts.isLiteralExpression(inner) ||
    ts.isPrefixUnaryExpression(inner) ||
    [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(inner.kind)
  if (!isLiteral) return { kind: 'expression', text: printed(inner) }
  return { kind: 'literal', type: typeName(inner), text: printed(inner) }
}

function withoutAssertions(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node) || ts.isAsExpression(node)
    ? withoutAssertions(node.expression)
    : node
}

function typeName(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return 'string'
  if (ts.isPrefixUnaryExpression(node)) return typeName(node.operand)
  return node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword
    ? 'boolean'
    : (ts.SyntaxKind[node.kind] ?? '')
}

/** Rates a changed value of a constant. A change that cannot be rated from its text is breaking. */
export function rateValues(before: Value, after: Value): Bump {
  if (before.kind === 'literal' && after.kind === 'literal') {
    if (before.text === after.text) return 'none'
    return before.type === after.type ? 'patch' : 'major'
  }
  if (before.kind === 'object' && after.kind === 'object') {
    const common = [...before.fields].map(([name, field]): Bump => {
      const now = after.fields.get(name)
      return now ? rateValues(field, now) : 'major'
    })
    const isMore = [...after.fields.keys()].some((name) => !before.fields.has(name))
    return highest([...common, isMore ? 'minor' : 'none'])
  }
  if (before.kind === 'list' && after.kind === 'list') {
    if (before.items.some((item) => !after.items.includes(item))) return 'major'
    return after.items.length > before.items.length ? 'minor' : 'none'
  }
  return before.kind === 'expression' && after.kind === 'expression' && before.text === after.text
    ? 'none'
    : 'major'
}
