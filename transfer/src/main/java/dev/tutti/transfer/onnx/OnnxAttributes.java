package dev.tutti.transfer.onnx;

import ai.onnx.proto.OnnxMl;
import java.util.Arrays;
import java.util.Optional;

/** The attributes of a node, with the defaults of the format. */
record OnnxAttributes(OnnxMl.NodeProto node) {
    private Optional<OnnxMl.AttributeProto> find(String name) {
        return node.getAttributeList().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst();
    }

    long whole(String name, long otherwise) {
        return find(name).map(OnnxMl.AttributeProto::getI).orElse(otherwise);
    }

    double number(String name, double otherwise) {
        return find(name).map(each -> (double) each.getF()).orElse(otherwise);
    }

    String word(String name, String otherwise) {
        return find(name).map(each -> each.getS().toStringUtf8()).orElse(otherwise);
    }

    /** Numbers for each axis; as many of the given one where nothing was said. */
    int[] perAxis(String name, int axes, int otherwise) {
        int[] values = new int[axes];
        Arrays.fill(values, otherwise);
        find(name).ifPresent(each -> {
            for (int i = 0; i < axes; i++) {
                values[i] = Math.toIntExact(each.getInts(i));
            }
        });
        return values;
    }

    long[] longs(String name) {
        return find(name)
                .map(each ->
                        each.getIntsList().stream().mapToLong(Long::longValue).toArray())
                .orElse(new long[0]);
    }

    /** The padding of each axis, which must be alike at both of its ends. */
    int[] padding(int axes) {
        if (!word("auto_pad", "NOTSET").equals("NOTSET")) {
            throw new IllegalArgumentException("auto_pad " + word("auto_pad", ""));
        }
        long[] pads = longs("pads");
        int[] padding = new int[axes];
        for (int i = 0; pads.length > 0 && i < axes; i++) {
            if (pads[i] != pads[i + axes]) {
                throw new IllegalArgumentException("pads " + Arrays.toString(pads) + ", which differ at both ends");
            }
            padding[i] = Math.toIntExact(pads[i]);
        }
        return padding;
    }
}
