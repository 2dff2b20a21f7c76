package dev.tutti.transfer.onnx;

import static dev.tutti.transfer.onnx.OnnxNodes.attribute;

import dev.tutti.nn.ScriptWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Translates lines of TorchScript to nodes. Sizes that are known are computed here; others are computed by the graph. */
final class OnnxTranslation {
    /** An extent of a tensor that is known only when the graph runs: a tensor with one whole number. */
    record DynamicSize(OnnxValue of, int axis) {}

    private final OnnxNodes nodes;
    private final Map<String, Object> values;
    private final OnnxFunctions functions;
    private String layer = "";

    OnnxTranslation(OnnxNodes nodes, Map<String, Object> values) {
        this.nodes = nodes;
        this.values = values;
        functions = new OnnxFunctions(nodes);
    }

    void translate(ScriptWriter.ScriptLine line) {
        layer = line.layer();
        try {
            values.put(line.variable(), evaluate(ScriptParser.parse(line.expression())));
        } catch (IllegalArgumentException e) {
            throw new UnsupportedOnnxException(layer, e.getMessage());
        }
    }

    OnnxValue value(String expression) {
        return tensor(evaluate(ScriptParser.parse(expression)));
    }

    private Object evaluate(ScriptExpression expression) {
        if (expression instanceof ScriptExpression.Constant constant) {
            return constant.value();
        }
        if (expression instanceof ScriptExpression.Word word) {
            return word.text();
        }
        if (expression instanceof ScriptExpression.Name name) {
            if (name.text().equals("self.training")) {
                return "False";
            }
            Object value = values.get(name.text());
            return value == null ? name.text() : value;
        }
        if (expression instanceof ScriptExpression.Elements elements) {
            return elements.values().stream().map(this::evaluate).toList();
        }
        if (expression instanceof ScriptExpression.Binary binary) {
            return binary(binary.operator(), evaluate(binary.left()), evaluate(binary.right()));
        }
        if (expression instanceof ScriptExpression.Index index) {
            Object of = evaluate(index.of());
            Object place = evaluate(index.index());
            return of instanceof List<?> several && place instanceof Long number
                    ? several.get(number.intValue())
                    : index(tensor(of), place);
        }
        if (expression instanceof ScriptExpression.Tail tail) {
            return tail(tensor(evaluate(tail.of())), evaluate(tail.from()));
        }
        ScriptExpression.Call call = (ScriptExpression.Call) expression;
        List<Object> arguments = new ArrayList<>();
        if (call.object() != null) {
            arguments.add(evaluate(call.object()));
        }
        call.arguments().forEach(argument -> arguments.add(evaluate(argument)));
        if (call.function().equals("size")) {
            return size(tensor(arguments.get(0)), arguments.size() == 1 ? null : (Long) arguments.get(1));
        }
        call.named().forEach((name, value) -> arguments.add(Map.entry(name, evaluate(value))));
        return switch (call.function()) {
            case "zeros" -> "zeros"; // the state that recurrent layers begin with, which is that of ONNX too
            case "lstm", "gru" -> new OnnxRecurrence(nodes, call.function()).call(arguments);
            default -> functions.call(call.function(), arguments);
        };
    }

    /** The last rows; of a recurrent layer's last state these are all of them. */
    private static OnnxValue tail(OnnxValue of, Object from) {
        if (from instanceof Long place && -place == of.dims()[0]) {
            return of;
        }
        throw new IllegalArgumentException("the rows from " + from + " on");
    }

    private Object size(OnnxValue of, Long axis) {
        if (axis == null) {
            return Arrays.stream(of.dims()).boxed().map(Object.class::cast).toList();
        }
        int place = of.axis(axis);
        return of.dims()[place] >= 0 ? of.dims()[place] : new DynamicSize(of, place);
    }

    private OnnxValue index(OnnxValue of, Object index) {
        if (!(index instanceof Long place)) {
            throw new IllegalArgumentException("an index such as [" + index + "]");
        }
        return nodes.add(
                "Gather",
                Arrays.copyOfRange(of.dims(), 1, of.rank()),
                List.of(of, nodes.whole(place)),
                attribute("axis", 0L));
    }

    private Object binary(String operator, Object left, Object right) {
        if (left instanceof Number a && right instanceof Number b) {
            if (a instanceof Long x && b instanceof Long y) {
                return switch (operator) {
                    case "+" -> x + y;
                    case "-" -> x - y;
                    case "*" -> x * y;
                    case "//" -> Math.floorDiv(x, y);
                    default -> x / (double) y;
                };
            }
            double x = a.doubleValue();
            double y = b.doubleValue();
            return switch (operator) {
                case "+" -> x + y;
                case "-" -> x - y;
                case "*" -> x * y;
                case "/" -> x / y;
                default -> Math.floor(x / y);
            };
        }
        return functions.arithmetic(operator, operand(left), operand(right));
    }

    private OnnxValue operand(Object value) {
        return value instanceof Number number ? nodes.number(number.doubleValue()) : tensor(value);
    }

    private static OnnxValue tensor(Object value) {
        if (value instanceof OnnxValue tensor) {
            return tensor;
        }
        throw new IllegalArgumentException("'" + value + "' where a tensor is expected");
    }
}
