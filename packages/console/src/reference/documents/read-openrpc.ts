import type { Json } from './document.ts'
import type { RpcExample, RpcOperation, RpcParam, Subscription } from './operation.ts'
import { schemaAt } from './read-openapi.ts'
import { follow, isJson, listAt, objectAt, textAt, textsAt } from './references.ts'

// A method without transports is available over both.
const allTransports = ['http', 'websocket']

/** All methods of an OpenRPC document. */
export function readOpenRpc(document: Json): readonly RpcOperation[] {
  return listAt(document, 'methods').map((method) => readMethod(document, method))
}

function readMethod(document: Json, method: Json): RpcOperation {
  const result = objectAt(method, 'result')
  return {
    kind: 'rpc',
    id: textAt(method, 'name'),
    name: textAt(method, 'name'),
    group: textAt(listAt(method, 'tags')[0] ?? {}, 'name'),
    summary: textAt(method, 'summary'),
    description: textAt(method, 'description'),
    isDeprecated: method['deprecated'] === true,
    isByName: method['paramStructure'] === 'by-name',
    isIdempotent: method['x-idempotent'] !== false,
    params: listAt(method, 'params').map(readParam),
    result: { description: textAt(result, 'description'), schema: schemaAt(result, 'schema') ?? {} },
    overloads: listAt(method, 'x-overloads').map((overload) => ({
      when: objectAt(overload, 'when'),
      schema: schemaAt(overload, 'result') ?? {},
    })),
    subscriptions: Object.entries(objectAt(method, 'x-subscriptions')).flatMap(([kind, subscription]) =>
      isJson(subscription) ? [readSubscription(kind, subscription)] : [],
    ),
    errors: listAt(method, 'errors').map((error) => {
      const { code, message } = follow(document, error)
      return { code: Number(code), message: String(message) }
    }),
    examples: listAt(method, 'examples').map(readExample),
    transports: 'x-transports' in method ? textsAt(method, 'x-transports') : allTransports,
    availability: textsAt(method, 'x-availability'),
  }
}

function readParam(param: Json): RpcParam {
  return {
    name: textAt(param, 'name'),
    isRequired: param['required'] === true,
    description: textAt(param, 'description'),
    schema: schemaAt(param, 'schema') ?? {},
  }
}

function readSubscription(kind: string, subscription: Json): Subscription {
  return {
    kind,
    summary: textAt(subscription, 'summary'),
    options: schemaAt(subscription, 'options'),
    notification: schemaAt(subscription, 'notification') ?? {},
    availability: textsAt(subscription, 'x-availability'),
  }
}

function readExample(example: Json): RpcExample {
  return {
    title: textAt(example, 'description') || textAt(example, 'name'),
    params: listAt(example, 'params').map((param) => ({
      name: textAt(param, 'name'),
      value: param['value'],
    })),
    result: objectAt(example, 'result')['value'],
  }
}
