package dev.tutti.serve.protocol;

import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.model.ModelSignature;
import dev.tutti.serve.model.TensorSpec;
import dev.tutti.serve.tensor.Datatype;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A ModelInferRequest: tensors as raw bytes, or as lists of numbers within the message. */
final class GrpcInferRequest {
    /** One input: its contents are in the message, or the raw bytes of the same place. */
    private static final class SentTensor {
        private String name = "";
        private String datatype = "";
        private Shape shape = Shape.of(0);
        private ByteBuffer contents;
    }

    private String model = "";
    private String version = "";
    private String id = "";
    private final List<SentTensor> inputs = new ArrayList<>();
    private final List<ByteBuffer> raw = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();

    private GrpcInferRequest() {}

    static GrpcInferRequest read(ProtoReader message) {
        GrpcInferRequest request = new GrpcInferRequest();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> request.model = message.text();
                case 2 -> request.version = message.text();
                case 3 -> request.id = message.text();
                case 5 -> request.inputs.add(tensor(message.message()));
                case 6 -> request.outputs.add(outputName(message.message()));
                case 7 -> request.raw.add(message.bytes());
                default -> message.skip();
            }
        }
        if (!request.raw.isEmpty() && request.raw.size() != request.inputs.size()) {
            throw ServeException.invalid("expected raw_input_contents for all " + request.inputs.size()
                    + " inputs or for none, received " + request.raw.size());
        }
        return request;
    }

    private static SentTensor tensor(ProtoReader message) {
        SentTensor tensor = new SentTensor();
        List<Long> dims = new ArrayList<>();
        while (message.next()) {
            switch (message.field()) {
                case 1 -> tensor.name = message.text();
                case 2 -> tensor.datatype = message.text();
                case 3 -> {
                    if (message.kind() == ProtoReader.VARINT) {
                        dims.add(message.varint());
                    } else {
                        ProtoReader packed = message.message();
                        while (packed.hasMore()) {
                            dims.add(packed.raw());
                        }
                    }
                }
                case 5 -> tensor.contents = message.bytes();
                default -> message.skip();
            }
        }
        tensor.shape = OpenInferenceRequest.checked(
                dims.stream().mapToLong(Long::longValue).toArray());
        return tensor;
    }

    private static String outputName(ProtoReader message) {
        String name = "";
        while (message.next()) {
            if (message.field() == 1) {
                name = message.text();
            } else {
                message.skip();
            }
        }
        return name;
    }

    String model() {
        return model;
    }

    String version() {
        return version;
    }

    String id() {
        return id;
    }

    /** The outputs the client asks for; empty for all. */
    List<String> outputs() {
        return outputs;
    }

    /** The arrays in the order of the model's inputs. */
    List<NdArray> arrays(ModelSignature signature) {
        NdArray[] arrays = new NdArray[signature.inputs().size()];
        for (int i = 0; i < inputs.size(); i++) {
            SentTensor sent = inputs.get(i);
            int place = signature.input(sent.name);
            TensorSpec spec = signature.inputs().get(place);
            Datatype datatype = Datatype.named(sent.datatype);
            arrays[place] = raw.isEmpty() ? contents(sent, spec) : datatype.read(raw.get(i), sent.shape, spec.type());
        }
        for (int i = 0; i < arrays.length; i++) {
            if (arrays[i] == null) {
                throw ServeException.invalid(
                        "input '" + signature.inputs().get(i).name() + "' is missing");
            }
        }
        return List.of(arrays);
    }

    /** InferTensorContents: bool 1, int 2, int64 3, uint 4, uint64 5, fp32 6, fp64 7, each repeated, packed or not. */
    private static NdArray contents(SentTensor sent, TensorSpec spec) {
        int size = Math.toIntExact(sent.shape.size());
        double[] values = new double[size];
        int count = 0;
        ProtoReader message = new ProtoReader(sent.contents == null ? ByteBuffer.allocate(0) : sent.contents);
        while (message.next()) {
            int field = message.field();
            if (field < 1 || field > 7) {
                throw ServeException.invalid("input '" + sent.name
                        + "': expected numbers in its contents, received bytes or an unknown field");
            }
            if (message.kind() != ProtoReader.BYTES) {
                count = add(values, count, message.number(field > 5), sent);
                continue;
            }
            ByteBuffer packed = message.bytes();
            if (field <= 5) {
                ProtoReader numbers = new ProtoReader(packed);
                while (numbers.hasMore()) {
                    count = add(values, count, numbers.raw(), sent);
                }
            } else {
                int width = field == 6 ? 4 : 8;
                while (packed.remaining() >= width) {
                    count = add(values, count, field == 6 ? packed.getFloat() : packed.getDouble(), sent);
                }
            }
        }
        if (count != size) {
            throw ServeException.invalid("input '" + sent.name + "': shape " + sent.shape + " holds " + size
                    + " numbers, received " + count);
        }
        return NdArray.of(values, sent.shape.toArray()).to(spec.type());
    }

    private static int add(double[] values, int count, double value, SentTensor sent) {
        if (count == values.length) {
            throw ServeException.invalid("input '" + sent.name + "': shape " + sent.shape + " holds " + values.length
                    + " numbers, received more");
        }
        values[count] = value;
        return count + 1;
    }
}
