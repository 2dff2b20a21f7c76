package dev.tutti.transfer.onnx;

import java.util.List;
import java.util.Map;

/** An expression of the small part of TorchScript that layers write. */
sealed interface ScriptExpression {
    /** A variable, or an attribute such as {@code self.dense1.weight}. */
    record Name(String text) implements ScriptExpression {}

    /** A number; whole ones are {@link Long}. */
    record Constant(Number value) implements ScriptExpression {}

    /** {@code None}, {@code True}, {@code False} or a quoted word. */
    record Word(String text) implements ScriptExpression {}

    record Elements(List<ScriptExpression> values) implements ScriptExpression {}

    /** A function, or with an object a method. */
    record Call(
            ScriptExpression object,
            String function,
            List<ScriptExpression> arguments,
            Map<String, ScriptExpression> named)
            implements ScriptExpression {}

    record Index(ScriptExpression of, ScriptExpression index) implements ScriptExpression {}

    /** What begins at an index and goes to the end. */
    record Tail(ScriptExpression of, ScriptExpression from) implements ScriptExpression {}

    record Binary(String operator, ScriptExpression left, ScriptExpression right) implements ScriptExpression {}
}
